import { Body, Controller, Get, HttpCode, type PipeTransform, Post, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../../common/access/index.js';
import { ApiError } from '../../common/errors/index.js';
import { type HtmlPage, ServesPages } from '../../common/pages/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { LoginReportDto } from './login-report.dto.js';
import { donePage, questionPage, refusalPage } from './login-report-pages.js';
import { LoginReportService } from './login-report.service.js';

/** Looks at nothing else in the query: mail programs, and those who count clicks, append parameters of their own. */
const tokenOfLink: PipeTransform<unknown, string> = {
  transform(token) {
    if (typeof token === 'string') return token;
    throw ApiError.invalidField('token', 'token is required');
  },
};

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
  async askWhetherToReport(@Query('token', tokenOfLink) token: string): Promise<HtmlPage> {
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
