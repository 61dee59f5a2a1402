import { IsOpaqueText } from '../../common/validation/index.js';
import { IsConfirmationOf, IsNewPassword } from '../../security/index.js';

export class ChangePasswordDto {
  @IsOpaqueText({ maxLength: 1024, format: 'password', example: 'Correct-Horse7!' })
  current_password: string;

  @IsNewPassword()
  password: string;

  @IsConfirmationOf('password')
  password_confirmation: string;
}
