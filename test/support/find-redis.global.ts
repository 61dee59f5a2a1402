import type { TestProject } from 'vitest/node';
import { answers, startRedis } from './redis-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    redisUrl: string | null;
  }
}

/** Finds the Redis of this test run: `REDIS_URL`, else one that runs here, else one started for the occasion. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
  if (await answers(given)) {
    project.provide('redisUrl', given);
    return async () => undefined;
  }
  const started = process.env.REDIS_URL ? null : await startRedis();
  project.provide('redisUrl', started?.url ?? null);
  if (!started) {
    if (process.env.REQUIRE_REDIS) throw new Error('No Redis was found, and redis-server could not be started');
    process.stdout.write('Skipped: the suites that need Redis (none answers, and redis-server is not installed)\n');
  }
  return async () => started?.stop();
}
