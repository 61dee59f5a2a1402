import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { toAuthRecord, toUserDto } from '../../users/index.js';
import { RegisterDto, RegisteredDto } from './register.dto.js';
import { RegistrationService } from './registration.service.js';

@ApiTags('Registration')
@Controller('auth')
export class RegistrationController {
  constructor(private readonly registration: RegistrationService) {}

  @Post('register')
  @Public({ limit: 'auth' })
  @Operation({
    summary: 'Register an account',
    description:
      'Makes an account whose e-mail address is not yet confirmed, and mails a one-time code to it. A username or an address that is taken is a `validation_failed` of that field. An account that was not confirmed within the validity of its first code, ten minutes by default, gives way to a new registration of the same address; `otp_sent` is false where that address has had a code less than a minute ago, or five within the hour: `resend-otp` sends one later. Its username stays taken for a day: whoever has mistyped the address chooses another one, so let people check what they typed.',
    status: 201,
    message: 'Registration successful. Please check your email for the OTP.',
    data: RegisteredDto,
  })
  async register(@Body() dto: RegisterDto): Promise<RegisteredDto> {
    const { account, isOtpSent } = await this.registration.register(dto);
    return { user: toUserDto(toAuthRecord(account)), otp_sent: isOtpSent };
  }
}
