import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { startEmbeddedMongodb } from '../../src/infrastructure/database/embedded-mongodb/index.js';
import { ApiClient } from '../support/api-client.js';
import { newRegistration } from '../support/personas.js';
import { developmentApiKeyOf, processSuite } from '../support/process-suite.js';
import { DIST } from '../support/service-process.js';
import { TcpProxy } from '../support/tcp-proxy.js';

describe('The service as a process', () => {
  const suite = processSuite();

  it('ends when it is told to, also while it still waits for its database', async () => {
    const service = suite.start({ MONGODB_URI: 'mongodb://127.0.0.1:1/?directConnection=true' });
    await expect.poll(() => service.output, { timeout: 10_000 }).toContain('Waiting for the database');
    expect(await service.kill('SIGTERM')).toBe(0);
  });

  it('ends with 0 when it is told to while it sets up its database', async () => {
    const store = await startEmbeddedMongodb();
    const proxy = await TcpProxy.before(store.uri);
    let isSettingUp = false;
    proxy.judge = (chunk) => {
      isSettingUp ||= chunk.includes('createIndexes');
      return isSettingUp ? { lateMs: 3_000 } : 'pass';
    };
    const service = suite.start({ MONGODB_URI: proxy.mongodbUri });
    await expect.poll(() => isSettingUp, { timeout: 20_000 }).toBe(true);
    const ended = service.kill('SIGTERM');
    await pause(500);
    proxy.judge = () => 'pass';
    expect(await ended).toBe(0);
    expect(service.errors).toBe('');
    await proxy.close();
    await store.close();
  });

  it('ends within ten seconds though its database hangs, and what asks it', async () => {
    const store = await startEmbeddedMongodb();
    const proxy = await TcpProxy.before(store.uri);
    const service = suite.start({ MONGODB_URI: proxy.mongodbUri });
    const client = new ApiClient(await service.started(), '');
    proxy.freeze();
    const asked = client.post('/auth/register', newRegistration());
    await pause(100);
    process.kill(service.pid, 'SIGTERM');
    const ended = service.exit(11_000);
    expect((await asked).status).toBe(503);
    expect(await ended).toBe(0);
    await proxy.close();
    await store.close();
  });

  it('starts though the one before it has not quite ended', async () => {
    const first = suite.start();
    const client = new ApiClient(await first.started(), '');
    // A connection that is open is given a second to be closed by its client.
    expect((await client.get('/health/live')).status).toBe(200);
    const ended = first.kill('SIGTERM');
    const second = suite.start();
    await second.started();
    expect(await ended).toBe(0);
    expect(developmentApiKeyOf(second)).toBe(developmentApiKeyOf(first));
  });

  it('ends with npm, whose shell dies without telling it', async () => {
    const service = `"${process.execPath}" "${join(DIST, 'main.js')}"; true`;
    const env = { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'warn', DATA_DIR: suite.directory };
    const shell = spawn('sh', ['-c', service], { env: { ...env, npm_lifecycle_event: 'start' }, detached: true });
    try {
      let output = '';
      for (const stream of [shell.stdout, shell.stderr])
        stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
      await expect.poll(() => output, { timeout: 20_000 }).toMatch(/ on http:/);
      // The service has the other end of its output, too.
      const allGone = once(shell, 'close');
      shell.kill('SIGTERM');
      await allGone;
      const url = / on (http:\/\/\S+)/.exec(output)?.[1] as string;
      await expect(fetch(url)).rejects.toThrow('fetch failed');
      expect(output).toContain('The shell in which npm started this process has ended: it stops');
    } finally {
      try {
        process.kill(-(shell.pid as number), 'SIGKILL');
      } catch {
        // All of them have ended.
      }
    }
  });

  it('finishes what runs when it is told to stop', async () => {
    const service = suite.start({ AUTH_RATE_LIMIT: '1000', HASH_CONCURRENCY: '2' });
    const url = await service.started();
    const client = new ApiClient(url, '');
    const answers = Array.from({ length: 15 }, () => client.post('/auth/register', newRegistration()));
    await Promise.race(answers);
    const stopping = Date.now();
    const exited = service.kill('SIGTERM');
    const settled = await Promise.allSettled(answers);
    expect(settled.map((answer) => (answer.status === 'fulfilled' ? answer.value.status : 'cut off'))).toEqual(
      Array.from({ length: 15 }, () => 201),
    );
    expect(await exited).toBe(0);
    expect(Date.now() - stopping, 'it was not cut off').toBeLessThan(9_000);
  });
});
