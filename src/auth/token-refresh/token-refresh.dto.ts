import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';

export class RefreshTokenDto {
  @ApiProperty({
    maxLength: 4096,
    example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6InJ0K2p3dCJ9.e30.c2lnbmF0dXJl',
    description: 'The refresh token of the session',
  })
  @MaxLength(4096, { message: 'refresh_token must be at most 4096 characters long' })
  @MinLength(1, { message: 'refresh_token must not be empty' })
  @IsString({ message: 'refresh_token must be a string' })
  refresh_token: string;
}
