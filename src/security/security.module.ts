import { Global, Module } from '@nestjs/common';
import { DiscoveryModule, Reflector } from '@nestjs/core';
import { MongooseModule } from '@nestjs/mongoose';
import { PassportModule } from '@nestjs/passport';
import { ThrottlerModule } from '@nestjs/throttler';
import { Clock } from '../common/clock/index.js';
import { Config } from '../infrastructure/config/index.js';
import { REDIS, type RedisConnection, RedisModule } from '../infrastructure/redis/index.js';
import { Authenticator } from './authentication/authenticator.js';
import { OneTimeSecret, OneTimeSecretSchema } from './one-time-secrets/one-time-secret.schema.js';
import { OneTimeSecretsRepository } from './one-time-secrets/one-time-secrets.repository.js';
import { OneTimeSecrets } from './one-time-secrets/one-time-secrets.js';
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
 * Owns who may call and how often: tokens, guards, throttling, password hashing, one-time secrets. Exports them to
 * every room above, and knows none: what it must learn about accounts and sessions it asks through the ports
 * AccountReader and SessionReader, which `users` and `login-history` provide globally.
 */
@Global()
@Module({
  imports: [
    DiscoveryModule,
    PassportModule,
    MongooseModule.forFeature([{ name: OneTimeSecret.name, schema: OneTimeSecretSchema }]),
    ThrottlerModule.forRootAsync({
      imports: [RedisModule],
      inject: [Config, Reflector, Clock, REDIS],
      useFactory: (config: Config, reflector: Reflector, clock: Clock, redis: RedisConnection | null) => {
        const memory = new MemoryThrottlerStorage(clock);
        return {
          throttlers: throttlersOf(config, reflector),
          storage: redis ? new RedisThrottlerStorage(redis, memory) : memory,
        };
      },
    }),
  ],
  providers: [
    AccessTokens,
    RefreshTokens,
    JwtStrategy,
    Authenticator,
    PasswordHasher,
    PasswordBlocklist,
    OneTimeSecretsRepository,
    OneTimeSecrets,
    RouteAccessCheck,
  ],
  exports: [
    AccessTokens,
    RefreshTokens,
    Authenticator,
    PasswordHasher,
    PasswordBlocklist,
    OneTimeSecrets,
    ThrottlerModule,
  ],
})
export class SecurityModule {}
