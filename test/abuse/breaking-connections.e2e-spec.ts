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
import { type Backend, ownBackend } from '../support/backends.js';
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
  let backend: Backend;
  let mailServer: SmtpSink;
  let proxies: TcpProxy[];
  let service: ServiceProcess;
  let client: ApiClient;

  beforeAll(async () => {
    store = await startEmbeddedMongodb();
    mailServer = await SmtpSink.start();
    backend = await ownBackend({ redis: true });
    const [database, mail] = await Promise.all([
      TcpProxy.before(store.uri),
      TcpProxy.to({ host: '127.0.0.1', port: mailServer.port }),
    ]);
    proxies = [database, mail];
    const env: Record<string, string> = {
      ...backend.env,
      DATA_DIR: directory,
      MONGODB_URI: database.mongodbUri,
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String(mail.port),
      AUTH_RATE_LIMIT: '100000',
      LOG_LEVEL: 'fatal',
    };
    if (env.REDIS_URL) {
      const redis = await TcpProxy.before(env.REDIS_URL);
      proxies.push(redis);
      env.REDIS_URL = redis.redisUrl;
    }
    service = new ServiceProcess(env);
    client = new ApiClient(await service.started(), '127.0.0.1');
  });
  afterAll(async () => {
    await service.kill('SIGKILL');
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await mailServer.stop();
    await store.close();
    await backend.remove();
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
    let met = 0;
    for (let broken = 0; broken * BREAK_EVERY_MS < STORM_MS; broken += 1) {
      await pause(BREAK_EVERY_MS);
      if (proxies.some(({ connections }) => connections > 0)) met += 1;
      for (const proxy of proxies) proxy.shake(broken % 2 === 0 ? 'closed' : 'reset');
    }
    isStormy = false;
    await Promise.all(people);
    expect(met, 'breaks that met a connection').toBeGreaterThan(STORM_MS / BREAK_EVERY_MS / 2);

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
