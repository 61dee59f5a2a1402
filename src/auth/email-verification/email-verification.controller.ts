import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { ResendOtpDto, VerifiedDto, VerifyOtpDto } from './email-verification.dto.js';
import { EmailVerificationService } from './email-verification.service.js';

@ApiTags('Registration')
@Controller('auth')
export class EmailVerificationController {
  constructor(private readonly verification: EmailVerificationService) {}

  @Post('verify-otp')
  @Public({ limit: 'auth', errors: ['invalid_otp'] })
  @Operation({
    summary: 'Confirm the e-mail address with the OTP',
    description:
      'A code works once, for ten minutes by default, and dies after five wrong tries. The answer to a wrong, old or used code and to an unknown address is the same.',
    message: 'Email verified successfully',
    data: VerifiedDto,
  })
  async verifyOtp(@Body() { email, otp }: VerifyOtpDto): Promise<VerifiedDto> {
    await this.verification.verify(email, otp);
    return { verified: true };
  }

  @Post('resend-otp')
  @Public({ limit: 'auth' })
  @Operation({
    summary: 'Mail a new OTP',
    description:
      'A new code replaces the older one. At most one mail a minute and five an hour go to one address; the answer is the same for every address.',
    message: 'If this address awaits confirmation, a new OTP has been sent to it.',
  })
  async resendOtp(@Body() { email }: ResendOtpDto): Promise<void> {
    await this.verification.resend(email);
  }
}
