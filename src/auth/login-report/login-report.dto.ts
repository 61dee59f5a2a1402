import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';

export class LoginReportDto {
  @ApiProperty({
    maxLength: 1024,
    example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImxvZ2luLXJlcG9ydCtqd3QifQ.e30.Zm9yZ2Vk',
    description: 'The token of the link in the mail about a new login',
  })
  @MaxLength(1024, { message: 'token must be at most 1024 characters long' })
  @MinLength(1, { message: 'token must not be empty' })
  @IsString({ message: 'token must be a string' })
  token: string;
}
