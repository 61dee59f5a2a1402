import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';
import { IsConfirmationOf, IsNewPassword } from '../../security/index.js';

export class ChangePasswordDto {
  @ApiProperty({ maxLength: 1024, format: 'password', example: 'Correct-Horse7@' })
  @MaxLength(1024, { message: 'current_password must be at most 1024 characters long' })
  @MinLength(1, { message: 'current_password must not be empty' })
  @IsString({ message: 'current_password must be a string' })
  current_password: string;

  @IsNewPassword()
  password: string;

  @IsConfirmationOf('password')
  password_confirmation: string;
}
