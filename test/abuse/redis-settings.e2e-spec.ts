import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const DAY_SECONDS = 86_400;
const [, POLICY = ''] = /--maxmemory-policy', '([\w-]+)'/.exec(readFileSync('docker-compose.yml', 'utf8')) ?? [];

/** As those of failed logins at names that somebody has invented; the memory of a hundred kilobytes or so for each thousand. */
const COUNTERS = `
  for i = ARGV[1], ARGV[2] do
    redis.call('HSET', 'attempts:name:' .. redis.sha1hex(i), 'n', i, 'at', i)
    redis.call('EXPIRE', 'attempts:name:' .. redis.sha1hex(i), ARGV[3])
  end
`;

const probe = await startRedis();
await probe?.stop();
if (process.env['REQUIRE_REDIS'] && !probe) throw new Error('redis-server did not start');

describe.skipIf(!probe)('A Redis', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const close of closing.splice(0).reverse()) await close();
  });

  const startServer = async (...options: string[]) => {
    const server = (await startRedis(undefined, options)) as RedisServer;
    closing.push(() => server.stop());
    return server;
  };
  const startAt = async ({ url }: RedisServer) => {
    const test = await startTestApp({ env: { REDIS_URL: url } });
    closing.push(() => test.close());
    return test;
  };
  const statusOf = async (test: TestApp) => (await test.client().get('/health/ready')).body.data.status;
  const listenToWarnings = () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    return () =>
      warn.mock.calls.map(([line]) => String(line)).filter((line) => line.startsWith('Redis is unavailable'));
  };

  it('that is full, set as in docker-compose.yml, gives up the counters of long ago and not the limits of today', async () => {
    const server = await startServer('--maxmemory', '4mb', '--maxmemory-policy', POLICY);
    const count = (from: number, to: number) =>
      server.send('EVAL', COUNTERS, '0', String(from), String(to), String(DAY_SECONDS));
    const evicted = async () =>
      Number(/evicted_keys:(\d+)/.exec(String(await server.send('INFO', 'stats')))?.[1] ?? Number.NaN);
    let counted = 0;
    while ((await evicted()) === 0) await count(counted + 1, (counted += 500));
    // Redis counts in seconds how long something was not used.
    const newest = `attempts:name:${hash('sha1', String(counted))}`;
    await expect.poll(() => server.send('OBJECT', 'IDLETIME', newest), { timeout: 5_000 }).toBeGreaterThanOrEqual(2);
    const test = await startAt(server);
    const { quota } = test.config.limits.auth;
    const clients = Array.from({ length: 20 }, () => test.client());
    const ask = async () =>
      Promise.all(clients.map((client) => client.post('/auth/logout', {}).then(({ status }) => status)));
    for (let time = 0; time < quota; time += 1) expect(new Set(await ask())).toEqual(new Set([401]));
    expect(new Set(await ask())).toEqual(new Set([429]));

    const before = await evicted();
    while ((await evicted()) - before < 2_000) await count(counted + 1, (counted += 500));
    expect(new Set(await ask())).toEqual(new Set([429]));
    expect(await statusOf(test)).toBe('ready');
  });

  it('in cluster mode, which refuses commands of several keys, is not used, and it is told why', async () => {
    const server = await startServer('--cluster-enabled', 'yes');
    await server.send('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    const told = listenToWarnings();
    const test = await startAt(server);
    await expect.poll(told).toContainEqual(expect.stringContaining('CROSSSLOT'));
    const user = await test.personas.user();
    for (let time = 0; time < 20; time += 1) {
      expect((await user.api.get('/api/profile')).status).toBe(200);
      expect(await statusOf(test)).toBe('degraded');
    }
    expect(told().length, 'it never was in use').toBe(1);
  });

  it('that has as many clients as it may is not used, and it is told why', async () => {
    const server = await startServer('--maxclients', '1');
    const told = listenToWarnings();
    const test = await startAt(server);
    await expect.poll(told).toContainEqual(expect.stringContaining('max number of clients'));
    expect(await statusOf(test)).toBe('degraded');
  });
});
