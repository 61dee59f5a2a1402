import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AuthModule } from './auth/index.js';
import { ERROR_TRANSLATORS, translateResourceExhaustion } from './common/errors/index.js';
import { DrainOnSignal, ErrorFilter, ServedRoutes } from './common/http/index.js';
import { translateDatabaseError } from './infrastructure/database/index.js';
import { InfrastructureModule, type Runtime } from './infrastructure/index.js';
import { LoginHistoryModule } from './login-history/index.js';
import { MailModule } from './mail/index.js';
import {
  ApiKeyGuard,
  JwtAuthGuard,
  ReadAheadGuard,
  RequestThrottlerGuard,
  RequestValidationPipe,
  RolesGuard,
  SecurityModule,
} from './security/index.js';
import { UsersModule } from './users/index.js';

/** In the order in which they run: the limiter before all that refuse, so that guesses at keys and tokens count too. */
const GUARDS = [ReadAheadGuard, RequestThrottlerGuard, ApiKeyGuard, JwtAuthGuard, RolesGuard];

/** The composition root: the modules of the application, and the order in which its guards run. */
@Module({})
export class AppModule {
  /** @param extensions modules of the team that builds on this service; they get everything the others get */
  static forRoot(runtime: Runtime, servedRoutes: ServedRoutes, extensions: (Type | DynamicModule)[]): DynamicModule {
    return {
      module: AppModule,
      imports: [
        InfrastructureModule.forRoot(runtime),
        SecurityModule,
        MailModule,
        UsersModule,
        LoginHistoryModule,
        AuthModule,
        ...extensions,
      ],
      providers: [
        { provide: ServedRoutes, useValue: servedRoutes },
        DrainOnSignal,
        { provide: ERROR_TRANSLATORS, useValue: [translateDatabaseError, translateResourceExhaustion] },
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
        // By name, too, so that tests can replace them.
        ...GUARDS,
        ...GUARDS.map((guard) => ({ provide: APP_GUARD, useExisting: guard })),
      ],
    };
  }
}
