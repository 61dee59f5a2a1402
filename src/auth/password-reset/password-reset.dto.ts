import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';
import { IsConfirmationOf, IsNewPassword } from '../../security/index.js';
import { IsEmailAddress } from '../../users/index.js';

export class ForgotPasswordDto {
  @IsEmailAddress()
  email: string;
}

export class ResetPasswordDto {
  @ApiProperty({
    maxLength: 256,
    example: 'kR3v0mB1xYt0wJ5qZ8dT2hL6nP9sC4gF7aE1uI3oM5k',
    description: 'The token of the mail',
  })
  @MaxLength(256, { message: 'token must be at most 256 characters long' })
  @MinLength(1, { message: 'token must not be empty' })
  @IsString({ message: 'token must be a string' })
  token: string;

  @IsNewPassword()
  password: string;

  @IsConfirmationOf('password')
  password_confirmation: string;
}
