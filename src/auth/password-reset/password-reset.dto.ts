import { IsOpaqueText, Trimmed } from '../../common/validation/index.js';
import { IsConfirmationOf, IsNewPassword } from '../../security/index.js';
import { IsEmailAddress } from '../../users/index.js';

export class ForgotPasswordDto {
  @IsEmailAddress()
  email: string;
}

export class ResetPasswordDto {
  @IsOpaqueText({
    maxLength: 256,
    example: 'kR3v0mB1xYt0wJ5qZ8dT2hL6nP9sC4gF7aE1uI3oM5k',
    description: 'The token of the mail; blanks around it do not count',
  })
  @Trimmed()
  token: string;

  @IsNewPassword()
  password: string;

  @IsConfirmationOf('password')
  password_confirmation: string;
}
