import { Inject, Module, type OnApplicationShutdown, Optional } from '@nestjs/common';
import { Config } from '../config/index.js';
import { RedisConnection } from './redis-connection.js';

/** Injection token of the {@link RedisConnection}; null if `REDIS_URL` is not set. */
export const REDIS = Symbol('REDIS');

/** Owns the one Redis client. Exports it under {@link REDIS}; whoever uses it has a fallback of its own. */
@Module({
  providers: [
    {
      provide: REDIS,
      inject: [Config],
      useFactory: ({ redis }: Config) => (redis.url ? RedisConnection.open(redis.url, redis.keyPrefix) : null),
    },
  ],
  exports: [REDIS],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Optional() @Inject(REDIS) private readonly redis: RedisConnection | null) {}

  async onApplicationShutdown(): Promise<void> {
    await this.redis?.close();
  }
}
