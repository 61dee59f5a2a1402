import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import type { TestProject } from 'vitest/node';

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

async function answers(url: string): Promise<boolean> {
  const client = createClient({ url, socket: { reconnectStrategy: false, connectTimeout: 1_000 } });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.disconnect();
    return true;
  } catch {
    return false;
  }
}

async function startRedis(): Promise<{ url: string; stop(): Promise<void> } | null> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'redis-'));
  const url = `redis://127.0.0.1:${port}`;
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', directory];
  const child: ChildProcess = spawn('redis-server', args, { stdio: 'ignore' });
  const failed = once(child, 'error').then(() => true);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (await answers(url)) {
      const stop = async () => {
        child.kill();
        await once(child, 'exit');
        rmSync(directory, { recursive: true, force: true });
      };
      return { url, stop };
    }
    if (await Promise.race([failed, new Promise((resolve) => setTimeout(() => resolve(false), 50))])) break;
  }
  child.kill();
  return null;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
