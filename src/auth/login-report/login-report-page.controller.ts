import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../../common/access/index.js';
import { type HtmlPage, ServesPages } from '../../common/pages/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { LoginReportDto } from './login-report.dto.js';
import { donePage, questionPage, refusalPage } from './login-report-pages.js';
import { LoginReportService } from './login-report.service.js';

/** The pages behind the link in a mail about a new login. They need no script, and only submitting the form changes anything. */
@ApiExcludeController()
@Controller('not-me')
export class LoginReportPageController {
  constructor(
    private readonly reports: LoginReportService,
    private readonly config: Config,
  ) {}

  @Get()
  @Public()
  @ServesPages(refusalPage)
  async askWhetherToReport(@Query() { token }: LoginReportDto): Promise<HtmlPage> {
    return questionPage(this.config.mail.serviceName, token, await this.reports.read(token));
  }

  @Post()
  @HttpCode(200)
  @Public({ limit: 'auth' })
  @ServesPages(refusalPage)
  async reportLogin(@Body() { token }: LoginReportDto): Promise<HtmlPage> {
    await this.reports.confirm(token);
    return donePage();
  }
}
