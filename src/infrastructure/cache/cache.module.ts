import { type Cache, CACHE_MANAGER, CacheModule } from '@nestjs/cache-manager';
import { Module } from '@nestjs/common';
import { Config } from '../config/index.js';
import { Metrics, MetricsModule } from '../observability/index.js';
import { REDIS, RedisConnection, RedisModule } from '../redis/index.js';
import { memoryStore, redisStore } from './cache-stores.js';
import { MemoryFillFence } from './memory-fill-fence.js';
import { RecordCache } from './record-cache.js';
import { RedisFillFence } from './redis-fill-fence.js';

/** Owns cache-manager, in Redis or in this process. Exports {@link RecordCache}; announces nothing. */
@Module({
  imports: [
    RedisModule,
    MetricsModule,
    CacheModule.registerAsync({
      imports: [RedisModule],
      inject: [REDIS],
      useFactory: async (redis: RedisConnection | null) => ({
        stores: [redis ? await redisStore(redis) : memoryStore()],
      }),
    }),
  ],
  providers: [
    {
      provide: RecordCache,
      inject: [CACHE_MANAGER, REDIS, Metrics, Config],
      useFactory: (cache: Cache, redis: RedisConnection | null, metrics: Metrics, config: Config) => {
        const records = new RecordCache(cache, redis ? new RedisFillFence(redis) : new MemoryFillFence(cache), metrics);
        redis?.onLost(() => records.onStoreLost());
        redis?.onBack(() => void records.onStoreBack());
        if (redis && !redis.isReady) records.onStoreLost();
        else if (redis && !config.redis.isTrustedAtStart) void records.onStoreBack();
        return records;
      },
    },
  ],
  exports: [RecordCache],
})
export class RecordCacheModule {}
