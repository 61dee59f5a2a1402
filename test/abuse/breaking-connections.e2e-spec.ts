import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type EmbeddedMongodb,
  startEmbeddedMongodb,
} from '../../src/infrastructure/database/embedded-mongodb/index.js';
import { ApiClient } from '../support/api-client.js';
import { redisUrl } from '../support/backends.js';
import { newRegistration } from '../support/personas.js';
import { ServiceProcess } from '../support/service-process.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const STORM_MS = 12_000;
/** Sooner than the driver looks for its database again by itself. */
const BREAK_EVERY_MS = 700;
const PEOPLE_AT_A_TIME = 4;

describe('A service whose connections break again and again', () => {
  const directory = mkdtempSync(join(tmpdir(), 'accounts-'));
  let store: EmbeddedMongodb;
  let mailServer: SmtpSink;
  let proxies: TcpProxy[];
  let service: ServiceProcess;
  let client: ApiClient;

  beforeAll(async () => {
    store = await startEmbeddedMongodb();
    mailServer = await SmtpSink.start();
    const [, path] = /^mongodb:\/\/([^/]+)\//.exec(store.uri) as RegExpExecArray;
    const redis = redisUrl();
    const [database, mail] = await Promise.all([
      TcpProxy.to({ path: decodeURIComponent(path as string) }),
      TcpProxy.to({ port: mailServer.port, host: '127.0.0.1' }),
    ]);
    proxies = [database, mail];
    const env: Record<string, string> = {
      DATA_DIR: directory,
      MONGODB_URI: `mongodb://127.0.0.1:${database.port}/?directConnection=true`,
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String(mail.port),
      AUTH_RATE_LIMIT: '100000',
      LOG_LEVEL: 'fatal',
    };
    if (redis) {
      const { hostname, port } = new URL(redis);
      const proxy = await TcpProxy.to({ host: hostname, port: Number(port || 6379) });
      proxies.push(proxy);
      env.REDIS_URL = redis.replace(/\/\/(.*@)?[^/]+/, `//$1127.0.0.1:${proxy.port}`);
      env.REDIS_KEY_PREFIX = `breaking-${process.pid}:`;
    }
    service = new ServiceProcess(env);
    client = new ApiClient(await service.started(), '127.0.0.1');
  });
  afterAll(async () => {
    await service.kill('SIGKILL');
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await mailServer.stop();
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('works between them, sends every mail that it owes, and is well afterwards', { timeout: 90_000 }, async () => {
    const registered: string[] = [];
    const refused = new Set<number>();
    let isStormy = true;
    const people = Array.from({ length: PEOPLE_AT_A_TIME }, async () => {
      while (isStormy) {
        const registration = newRegistration();
        const { status } = await client.post('/auth/register', registration);
        if (status === 201) registered.push(registration.email);
        else refused.add(status);
      }
    });
    for (let broken = 0; broken * BREAK_EVERY_MS < STORM_MS; broken += 1) {
      await pause(BREAK_EVERY_MS);
      for (const proxy of proxies) proxy.shake(broken % 2 === 0 ? 'closed' : 'reset');
    }
    isStormy = false;
    await Promise.all(people);

    expect([...refused].filter((status) => status !== 503)).toEqual([]);
    expect(registered.length).toBeGreaterThan(STORM_MS / BREAK_EVERY_MS);
    await expect.poll(async () => (await client.get('/health/ready')).status, { timeout: 10_000 }).toBe(200);
    expect((await client.post('/auth/register', newRegistration())).status).toBe(201);
    const unsent = () => {
      const reached = new Set(mailServer.mails.flatMap(({ recipients }) => recipients));
      return registered.filter((email) => !reached.has(email));
    };
    // One that was tried several times waits for a while before the next.
    await expect.poll(unsent, { timeout: 60_000 }).toEqual([]);
  });
});
