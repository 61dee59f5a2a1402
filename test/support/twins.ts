import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { RedisConnection } from '../../src/infrastructure/redis/index.js';
import { redisUrl } from './backends.js';

interface Twin {
  close(): Promise<void>;
}

export const newKeyPrefix = () => `test_${randomBytes(6).toString('hex')}:`;

/** The Redis of the test run, under key names of its own. */
export function ownRedis(url = redisUrl() as string, prefix = newKeyPrefix()): Promise<RedisConnection> {
  return RedisConnection.open(url, prefix);
}

/** Takes so much of the life of a key in Redis. */
export async function shortenLife(redis: RedisConnection, key: string, ms: number): Promise<void> {
  const leftMs = await redis.client.pTTL(redis.key(key));
  await redis.client.pExpire(redis.key(key), Math.max(0, leftMs - ms));
}

/**
 * The same stories for a port in memory and in Redis, the latter skipped where there is none.
 * @param stories are given the `it` of one of the two, and that one while they run
 */
export function describeTwins<T extends Twin>(
  port: string,
  inMemory: () => T,
  inRedis: () => Promise<T>,
  stories: (test: typeof it, twin: () => T) => void,
): void {
  const twins: [string, boolean, () => T | Promise<T>][] = [
    ['in memory', true, inMemory],
    ['in Redis', redisUrl() !== null, inRedis],
  ];
  describe.each(twins)(`${port} %s`, (_name, isAvailable, open) => {
    let twin: T;
    beforeAll(async () => {
      if (isAvailable) twin = await open();
    });
    afterAll(() => twin?.close());
    stories(it.skipIf(!isAvailable) as typeof it, () => twin);
  });
}
