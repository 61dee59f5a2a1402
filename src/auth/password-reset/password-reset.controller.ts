import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { ForgotPasswordService } from './forgot-password.service.js';
import { ForgotPasswordDto, ResetPasswordDto } from './password-reset.dto.js';
import { PasswordResetService } from './password-reset.service.js';

@ApiTags('Recovery')
@Controller('auth')
export class PasswordResetController {
  constructor(
    private readonly forgottenPassword: ForgotPasswordService,
    private readonly passwordReset: PasswordResetService,
  ) {}

  @Post('forgot-password')
  @Public({ limit: 'auth' })
  @Operation({
    summary: 'Mail a password reset token',
    description:
      'The mail carries a token and a link with it, valid for 15 minutes by default; the newest alone works. Nothing else changes. At most one mail a minute and five an hour go to one address; the answer is the same for every address.',
    message: 'If an account exists for this address, a reset link has been sent to it.',
  })
  async forgotPassword(@Body() { email }: ForgotPasswordDto): Promise<void> {
    await this.forgottenPassword.request(email);
  }

  @Post('reset-password')
  @Public({ limit: 'auth', errors: ['invalid_reset_token'] })
  @Operation({
    summary: 'Choose a new password with a reset token',
    description:
      'Ends every session of the account; a new login is needed. After its-not-me the new password must differ from the old. An address that is not confirmed stays so: `resend-otp` sends another code.',
    message: 'Password reset successful. Please log in with your new password.',
  })
  async resetPassword(@Body() { token, password }: ResetPasswordDto): Promise<void> {
    await this.passwordReset.reset(token, password);
  }
}
