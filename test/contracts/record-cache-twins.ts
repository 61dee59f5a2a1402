import { createCache } from 'cache-manager';
import { memoryStore, redisStore } from '../../src/infrastructure/cache/cache-stores.js';
import { MemoryFillFence } from '../../src/infrastructure/cache/memory-fill-fence.js';
import { RecordCache } from '../../src/infrastructure/cache/record-cache.js';
import { RedisFillFence } from '../../src/infrastructure/cache/redis-fill-fence.js';
import { Metrics } from '../../src/infrastructure/observability/index.js';
import { RedisConnection } from '../../src/infrastructure/redis/index.js';
import { ownRedis } from '../support/twins.js';

export interface Twin {
  cache: RecordCache;
  redis?: RedisConnection;
  close(): Promise<void>;
}

export const inMemory = (): Twin => {
  const cache = createCache({ stores: [memoryStore()] });
  return {
    cache: new RecordCache(cache as never, new MemoryFillFence(cache as never), new Metrics()),
    close: () => Promise.resolve(),
  };
};

export const inRedis = async (url?: string, prefix?: string): Promise<Twin> => {
  const redis = await ownRedis(url, prefix);
  const cache = createCache({ stores: [await redisStore(redis)] });
  return {
    cache: new RecordCache(cache as never, new RedisFillFence(redis), new Metrics()),
    redis,
    close: () => redis.close(),
  };
};
