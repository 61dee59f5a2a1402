import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { type Client, CurrentClient } from './client.decorator.js';
import { LoggedInDto, LoginDto } from './login.dto.js';
import { LoginMetrics } from './login-metrics.js';
import { LoginService } from './login.service.js';

@ApiTags('Sessions')
@Controller('auth')
export class LoginController {
  constructor(
    private readonly loginService: LoginService,
    private readonly metrics: LoginMetrics,
  ) {}

  @Post('login')
  @Public({ limit: 'auth', errors: ['invalid_credentials', 'email_not_verified', 'password_reset_required'] })
  @Operation({
    summary: 'Log in by username or e-mail',
    description:
      'Opens a session and records it in the login history. An unknown name and a wrong password get the same answer in the same time.',
    message: 'Login successful',
    data: LoggedInDto,
  })
  async login(@Body() { login, password }: LoginDto, @CurrentClient() client: Client): Promise<LoggedInDto> {
    return this.metrics.count(this.loginService.login(login, password, client));
  }
}
