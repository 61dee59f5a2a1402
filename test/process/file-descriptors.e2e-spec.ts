import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { ownBackend } from '../support/backends.js';
import { childrenOf } from '../support/child-processes.js';
import { Inbox } from '../support/inbox.js';
import { newRegistration, PASSWORD, Personas } from '../support/personas.js';
import { canLimitOthers, limitFiles } from '../support/process-limits.js';
import { seriesOf } from '../support/series.js';
import { ServiceProcess } from '../support/service-process.js';

const ENOUGH = 1_000;
const ADDRESS_IN_CALIFORNIA = '8.8.8.8';

const isAble = canLimitOthers();

describe('A service that may open no more files', () => {
  const directory = mkdtempSync(join(tmpdir(), 'accounts-'));
  let service: ServiceProcess;
  let client: ApiClient;

  beforeAll(async () => {
    if (!isAble) return;
    service = new ServiceProcess({ DATA_DIR: directory, TRUST_PROXY: '127.0.0.1', AUTH_RATE_LIMIT: '100000' });
    client = new ApiClient(await service.started(), ADDRESS_IN_CALIFORNIA);
    expect((await client.get('/health/ready')).status).toBe(200);
  });
  beforeEach((context) => {
    if (!isAble) context.skip('There is no prlimit, which is of Linux');
    mayOpen(ENOUGH);
  });
  afterAll(async () => {
    if (isAble) await service.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });

  const mayOpen = (files: number) => limitFiles(service.pid, files);
  const openFiles = () => readdirSync(`/proc/${service.pid}/fd`).length;
  const login = (name: string) => client.post('/auth/login', { login: name, password: PASSWORD });

  it('says so, is still to be watched, and does all of it once it may again', async () => {
    // One for the connection of whoever asks; its first hash would take more.
    mayOpen(openFiles() + 1);
    for (const refused of [await login('nobody'), await client.post('/auth/register', newRegistration())]) {
      expect([refused.status, refused.body.code], refused.text).toEqual([503, 'service_unavailable']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await client.get('/health/live')).status).toBe(200);
    const metrics = await client.get('/metrics');
    expect(metrics.status).toBe(200);
    expect(metrics.text).toMatch(/^database_up 1$/m);
    const { process_open_fds = 0, process_max_fds } = seriesOf(metrics.text);
    expect(process_open_fds / (process_max_fds as number)).toBeGreaterThan(0.9);
    // Read a second after the start.
    await expect.poll(() => service.output, { timeout: 5_000 }).toContain('Locations are not known');

    mayOpen(ENOUGH);
    const apiKey = /API key +(\S+)/.exec(service.output)?.[1] as string;
    const user = await new Personas(() => client, new Inbox(client)).user();
    const known = async () => {
      await login(user.registration.username);
      const { body } = await client.get('/api/login-history', { bearer: user.token, apiKey });
      return body.data.content[0].locations;
    };
    await expect.poll(known, { timeout: 5_000 }).toMatchObject({ country: 'US' });
  });

  it('answers on the connections that it has, and takes others when some have gone', async () => {
    const user = await new Personas(() => client, new Inbox(client)).user();
    mayOpen(openFiles() + 10);
    const { hostname, port } = new URL(client.baseUrl);
    const idle = Array.from({ length: 100 }, () => connect(Number(port), hostname).on('error', () => undefined));
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    expect((await login(user.registration.username)).status).toBe(200);
    for (const socket of idle) socket.destroy();
    await expect
      .poll(async () => (await fetch(`${client.baseUrl}/health/ready`, { headers: { connection: 'close' } })).status)
      .toBe(200);
  });
});

describe('A process of a cluster that may open no more files', () => {
  const directory = mkdtempSync(join(tmpdir(), 'accounts-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.skipIf(!isAble)('is replaced: the cluster would hand it nothing more', async () => {
    const backend = await ownBackend({ redis: true });
    const service = new ServiceProcess({ ...backend.env, DATA_DIR: directory, WORKERS: '2' }, 'cluster.js');
    const sockets: Socket[] = [];
    try {
      const url = await service.started();
      await expect.poll(() => service.output, { timeout: 20_000 }).toContain('all listening');
      const [worker] = childrenOf(service.pid) as [number];
      limitFiles(worker, readdirSync(`/proc/${worker}/fd`).length + 5);
      const { hostname, port } = new URL(url);
      for (let i = 0; i < 200; i += 1) sockets.push(connect(Number(port), hostname).on('error', () => undefined));
      await expect.poll(() => service.errors, { timeout: 20_000 }).toContain('no file descriptor was left');
      for (const socket of sockets) socket.destroy();
      const ask = async () => (await fetch(`${url}/health/live`, { headers: { connection: 'close' } })).status;
      const isReplaced = () => !childrenOf(service.pid).includes(worker) && childrenOf(service.pid).length === 2;
      await expect.poll(isReplaced, { timeout: 30_000 }).toBe(true);
      for (let i = 0; i < 10; i += 1) expect(await ask()).toBe(200);
      expect(await service.kill('SIGTERM')).toBe(0);
    } finally {
      for (const socket of sockets) socket.destroy();
      await service.kill('SIGKILL');
      await backend.remove();
    }
  });
});
