import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { LoginReportDto } from './login-report.dto.js';
import { LoginReportService } from './login-report.service.js';

@ApiTags('Recovery')
@Controller('auth')
export class LoginReportController {
  constructor(private readonly reports: LoginReportService) {}

  @Post('report-login')
  @Public({ limit: 'auth', errors: ['report_link_invalid', 'report_link_expired', 'report_link_used'] })
  @Operation({
    summary: 'Report a login with the link of a mail',
    description:
      'What the page behind the link (`GET /not-me?token=…`) does when it is confirmed, for front ends that show a page of their own: the same as its-not-me, without being logged in. A link works once, for seven days by default, and not after a password reset by mail.',
    message: 'All sessions have been terminated. Please check your email to reset your password.',
  })
  async reportLogin(@Body() { token }: LoginReportDto): Promise<void> {
    await this.reports.confirm(token);
  }
}
