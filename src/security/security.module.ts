import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { MongooseModule } from '@nestjs/mongoose';
import { PassportModule } from '@nestjs/passport';
import { ThrottlerModule } from '@nestjs/throttler';
import { Clock } from '../common/clock/index.js';
import { Config } from '../infrastructure/config/index.js';
import { REDIS, type RedisConnection, RedisModule } from '../infrastructure/redis/index.js';
import { RefusalListener } from '../common/errors/index.js';
import { ApiKey, ApiKeySchema } from './api-keys/api-key.schema.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeys } from './api-keys/api-keys.js';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
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
import { CallerAuthority } from './roles/caller-authority.js';
import { RouteCheck } from './route.check.js';
import { AccountQuotas } from './throttling/account-quotas.js';
import { LimitRefusals } from './throttling/limit-refusals.js';
import { MemoryThrottlerStorage } from './throttling/memory-throttler.storage.js';
import { RedisThrottlerStorage } from './throttling/redis-throttler.storage.js';
import { AccessTokens } from './tokens/access-tokens.js';
import { LoginReportTokens } from './tokens/login-report-tokens.js';
import { JwtStrategy } from './tokens/jwt.strategy.js';
import { RefreshTokens } from './tokens/refresh-tokens.js';

/**
 * Owns who may call and how often: API keys, tokens, guards, throttling, back-off, password hashing, one-time secrets, the record
 * of security events. Exports them to every module above, and imports none of these: it learns about accounts and sessions through
 * the ports AccountReader and SessionReader, which `users` and `login-history` provide globally.
 */
@Global()
@Module({
  imports: [
    DiscoveryModule,
    PassportModule,
    MongooseModule.forFeature([
      { name: ApiKey.name, schema: ApiKeySchema },
      { name: OneTimeSecret.name, schema: OneTimeSecretSchema },
      { name: SecurityEvent.name, schema: SecurityEventSchema },
    ]),
    ThrottlerModule.forRootAsync({
      imports: [RedisModule],
      inject: [Config, Clock, REDIS],
      useFactory: ({ limits }: Config, clock: Clock, redis: RedisConnection | null) => {
        const memory = new MemoryThrottlerStorage(clock);
        return {
          throttlers: Object.entries(limits).map(([name, { quota, windowMs }]) => ({
            name,
            limit: quota,
            ttl: windowMs,
          })),
          storage: redis ? new RedisThrottlerStorage(redis, memory) : memory,
        };
      },
    }),
  ],
  controllers: [ApiKeysController, SecurityEventsController],
  providers: [
    CallerAuthority,
    ApiKeysRepository,
    ApiKeys,
    AccessTokens,
    RefreshTokens,
    LoginReportTokens,
    JwtStrategy,
    Authenticator,
    PasswordHasher,
    PasswordBlocklist,
    NewPasswords,
    OneTimeSecretsRepository,
    OneTimeSecrets,
    RouteCheck,
    {
      provide: AttemptCounter,
      inject: [Clock, REDIS],
      useFactory: (clock: Clock, redis: RedisConnection | null) => {
        const memory = new MemoryAttemptCounter(clock);
        return redis ? new RedisAttemptCounter(redis, memory, clock) : memory;
      },
    },
    AccountBackoff,
    AccountQuotas,
    LimitRefusals,
    SecurityEvents,
    SecurityEventsRepository,
    { provide: RefusalListener, useClass: RefusalEvents },
  ],
  exports: [
    CallerAuthority,
    ApiKeysRepository,
    ApiKeys,
    AccessTokens,
    RefreshTokens,
    LoginReportTokens,
    JwtStrategy,
    Authenticator,
    PasswordHasher,
    NewPasswords,
    OneTimeSecrets,
    ThrottlerModule,
    AccountBackoff,
    AccountQuotas,
    LimitRefusals,
    SecurityEvents,
    RefusalListener,
  ],
})
export class SecurityModule {}
