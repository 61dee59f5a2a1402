import { randomBytes } from 'node:crypto';
import { createConnection } from 'mongoose';
import { createClient } from 'redis';
import { inject } from 'vitest';

/** Which stores the tests of this project run on; set by vitest.config.ts. */
export const usesRedis = process.env.TEST_STORE === 'redis';

/** What a test application is given to store in: names of its own, and the way to remove them. */
export interface Backend {
  env: Record<string, string>;
  remove(): Promise<void>;
}

/** The Redis of the test run, or null where none could be found or started. */
export function redisUrl(): string | null {
  return inject('redisUrl');
}

export async function ownBackend({ redis = usesRedis }: { redis?: boolean } = {}): Promise<Backend> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const env: Record<string, string> = {};
  const url = redisUrl();
  if (redis && url) Object.assign(env, { REDIS_URL: url, REDIS_KEY_PREFIX: `${name}:` });
  const mongodbUri = process.env.MONGODB_URI ? withDatabase(process.env.MONGODB_URI, name) : null;
  if (mongodbUri) env.MONGODB_URI = mongodbUri;
  return {
    env,
    remove: async () => {
      if (redis && url) await removeKeys(url, name);
      if (mongodbUri) await dropDatabase(mongodbUri);
    },
  };
}

/** Only what bears the test's own name: the server may hold others' keys. */
async function removeKeys(url: string, name: string): Promise<void> {
  const client = createClient({ url });
  client.on('error', () => undefined);
  await client.connect();
  for await (const key of client.scanIterator({ MATCH: `*${name}:*`, COUNT: 1000 })) await client.unlink(key);
  await client.disconnect();
}

function withDatabase(uri: string, name: string): string {
  const [, base, , query = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(\/[^?]*)?(\?.*)?$/.exec(uri) ?? [];
  return `${base}/${name}${query}`;
}

async function dropDatabase(uri: string): Promise<void> {
  const connection = await createConnection(uri).asPromise();
  await connection.dropDatabase();
  await connection.close();
}
