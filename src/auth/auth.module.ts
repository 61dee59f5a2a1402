import { Module } from '@nestjs/common';
import { MailModule } from '../mail/index.js';
import { AccountClosing } from './account-closing/account-closing.js';
import { EmailVerificationController } from './email-verification/email-verification.controller.js';
import { EmailVerificationService } from './email-verification/email-verification.service.js';
import { OtpMails } from './email-verification/otp-mails.js';
import { ItsNotMeController } from './its-not-me/its-not-me.controller.js';
import { Lockdown } from './its-not-me/lockdown.js';
import { LoginReportController } from './login-report/login-report.controller.js';
import { LoginReportPageController } from './login-report/login-report-page.controller.js';
import { LoginReportService } from './login-report/login-report.service.js';
import { LoginAdmission } from './login/login-admission.js';
import { LoginMetrics } from './login/login-metrics.js';
import { LoginController } from './login/login.controller.js';
import { LoginService } from './login/login.service.js';
import { NewDeviceNotice } from './login/new-device-notice.js';
import { SessionOpening } from './login/session-opening.js';
import { TokenPairs } from './login/token-pairs.js';
import { LogoutController } from './logout/logout.controller.js';
import { LogoutService } from './logout/logout.service.js';
import { PasswordChangeController } from './password-change/password-change.controller.js';
import { PasswordChangeService } from './password-change/password-change.service.js';
import { ForgotPasswordService } from './password-reset/forgot-password.service.js';
import { PasswordResetController } from './password-reset/password-reset.controller.js';
import { PasswordResetService } from './password-reset/password-reset.service.js';
import { ResetMails } from './password-reset/reset-mails.js';
import { RegistrationController } from './registration/registration.controller.js';
import { RegistrationService } from './registration/registration.service.js';
import { TokenRefreshController } from './token-refresh/token-refresh.controller.js';
import { TokenRefreshService } from './token-refresh/token-refresh.service.js';
import { UsernameNotice } from './username-change/username-notice.js';

/**
 * Owns the flows of `/auth`, one folder for each thing a person does. A flow combines what the modules below offer: accounts,
 * sessions, one-time secrets, mails. Exports nothing, since only the application is above it.
 */
@Module({
  imports: [MailModule],
  controllers: [
    RegistrationController,
    EmailVerificationController,
    LoginController,
    TokenRefreshController,
    LogoutController,
    PasswordResetController,
    ItsNotMeController,
    LoginReportController,
    LoginReportPageController,
    PasswordChangeController,
  ],
  providers: [
    AccountClosing,
    RegistrationService,
    EmailVerificationService,
    OtpMails,
    LoginAdmission,
    LoginMetrics,
    LoginService,
    SessionOpening,
    TokenPairs,
    NewDeviceNotice,
    TokenRefreshService,
    LogoutService,
    ForgotPasswordService,
    PasswordResetService,
    ResetMails,
    Lockdown,
    LoginReportService,
    PasswordChangeService,
    UsernameNotice,
  ],
})
export class AuthModule {}
