var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
import { Global, Module } from '@nestjs/common';
import { DiscoveryModule, Reflector } from '@nestjs/core';
import { MongooseModule } from '@nestjs/mongoose';
import { PassportModule } from '@nestjs/passport';
import { ThrottlerModule } from '@nestjs/throttler';
import { Clock } from '../common/clock/index.js';
import { Config } from '../infrastructure/config/index.js';
import { REDIS, RedisModule } from '../infrastructure/redis/index.js';
import { RefusalListener } from '../common/errors/index.js';
import { Authenticator } from './authentication/authenticator.js';
import { AccountBackoff } from './backoff/account-backoff.js';
import { AttemptCounter } from './backoff/attempt-counter.js';
import { MemoryAttemptCounter } from './backoff/memory-attempt-counter.js';
import { RedisAttemptCounter } from './backoff/redis-attempt-counter.js';
import { RefusalEvents } from './events/refusal-events.js';
import { SecurityEvent, SecurityEventSchema } from './events/security-event.schema.js';
import { SecurityEventsController } from './events/security-events.controller.js';
import { SecurityEvents } from './events/security-events.js';
import { SecurityEventsRepository } from './events/security-events.repository.js';
import { OneTimeSecret, OneTimeSecretSchema } from './one-time-secrets/one-time-secret.schema.js';
import { OneTimeSecretsRepository } from './one-time-secrets/one-time-secrets.repository.js';
import { OneTimeSecrets } from './one-time-secrets/one-time-secrets.js';
import { NewPasswords } from './passwords/new-passwords.js';
import { PasswordBlocklist } from './passwords/password-blocklist.js';
import { PasswordHasher } from './passwords/password-hasher.js';
import { RouteAccessCheck } from './route-access.check.js';
import { MemoryThrottlerStorage } from './throttling/memory-throttler.storage.js';
import { RedisThrottlerStorage } from './throttling/redis-throttler.storage.js';
import { throttlersOf } from './throttling/request-throttler.guard.js';
import { AccessTokens } from './tokens/access-tokens.js';
import { JwtStrategy } from './tokens/jwt.strategy.js';
import { RefreshTokens } from './tokens/refresh-tokens.js';
/**
 * Owns who may call and how often: tokens, guards, throttling, back-off, password hashing, one-time secrets, the record
 * of security events. Exports them to every room above, and knows none: what it must learn about accounts and sessions it asks through the ports
 * AccountReader and SessionReader, which `users` and `login-history` provide globally.
 */
let SecurityModule = class SecurityModule {
};
SecurityModule = __decorate([
    Global(),
    Module({
        imports: [
            DiscoveryModule,
            PassportModule,
            MongooseModule.forFeature([
                { name: OneTimeSecret.name, schema: OneTimeSecretSchema },
                { name: SecurityEvent.name, schema: SecurityEventSchema },
            ]),
            ThrottlerModule.forRootAsync({
                imports: [RedisModule],
                inject: [Config, Reflector, Clock, REDIS],
                useFactory: (config, reflector, clock, redis) => {
                    const memory = new MemoryThrottlerStorage(clock);
                    return {
                        throttlers: throttlersOf(config, reflector),
                        storage: redis ? new RedisThrottlerStorage(redis, memory) : memory,
                    };
                },
            }),
        ],
        controllers: [SecurityEventsController],
        providers: [
            AccessTokens,
            RefreshTokens,
            JwtStrategy,
            Authenticator,
            PasswordHasher,
            PasswordBlocklist,
            NewPasswords,
            OneTimeSecretsRepository,
            OneTimeSecrets,
            RouteAccessCheck,
            {
                provide: AttemptCounter,
                inject: [Clock, REDIS],
                useFactory: (clock, redis) => {
                    const memory = new MemoryAttemptCounter(clock);
                    return redis ? new RedisAttemptCounter(redis, memory, clock) : memory;
                },
            },
            AccountBackoff,
            SecurityEvents,
            SecurityEventsRepository,
            { provide: RefusalListener, useClass: RefusalEvents },
        ],
        exports: [
            AccessTokens,
            RefreshTokens,
            Authenticator,
            PasswordHasher,
            NewPasswords,
            OneTimeSecrets,
            ThrottlerModule,
            AccountBackoff,
            SecurityEvents,
            RefusalListener,
        ],
    })
], SecurityModule);
export { SecurityModule };
//# sourceMappingURL=security.module.js.map