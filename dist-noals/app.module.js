var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var AppModule_1;
import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AuthModule } from './auth/index.js';
import { ERROR_TRANSLATORS } from './common/errors/index.js';
import { EnvelopeInterceptor, ErrorFilter, ServedRoutes } from './common/http/index.js';
import { translateDatabaseError } from './infrastructure/database/index.js';
import { InfrastructureModule } from './infrastructure/index.js';
import { LoginHistoryModule } from './login-history/index.js';
import { MailModule } from './mail/index.js';
import { ApiKeyGuard, JwtAuthGuard, RequestThrottlerGuard, RequestValidationPipe, RolesGuard, SecurityModule, } from './security/index.js';
import { UsersModule } from './users/index.js';
/** The composition root: what the application consists of, and in which order a request meets its guards. */
let AppModule = AppModule_1 = class AppModule {
    /** @param extensions modules of the team that builds on this service; they get everything the others get */
    static forRoot(runtime, servedRoutes, extensions = []) {
        return {
            module: AppModule_1,
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
                { provide: ERROR_TRANSLATORS, useValue: [translateDatabaseError] },
                { provide: APP_FILTER, useClass: ErrorFilter },
                { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
                { provide: APP_PIPE, useClass: RequestValidationPipe },
                // The limiter stands first: guesses at keys and tokens count too.
                { provide: APP_GUARD, useClass: RequestThrottlerGuard },
                { provide: APP_GUARD, useClass: ApiKeyGuard },
                { provide: APP_GUARD, useClass: JwtAuthGuard },
                { provide: APP_GUARD, useClass: RolesGuard },
            ],
        };
    }
};
AppModule = AppModule_1 = __decorate([
    Module({})
], AppModule);
export { AppModule };
//# sourceMappingURL=app.module.js.map