import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { Inbox } from '../support/inbox.js';
import { newRegistration, PASSWORD, Personas, type User } from '../support/personas.js';
import { ServiceProcess } from '../support/service-process.js';

const DISK = '24m';

/** A disk of its own, small enough to be filled; null where this user may not mount one. */
function mountSmallDisk(): string | null {
  const directory = mkdtempSync(join(tmpdir(), 'accounts-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', directory], { stdio: 'ignore' });
    return directory;
  } catch {
    rmdirSync(directory);
    return null;
  }
}

describe('A service whose disk is full', () => {
  let disk: string | null = null;
  let directory: string;
  let filler: string;
  let service: ServiceProcess;
  let client: ApiClient;
  let user: User;
  let apiKey: string;

  const start = async () => {
    service = new ServiceProcess({ DATA_DIR: directory, AUTH_RATE_LIMIT: '100000', RATE_LIMIT: '100000' });
    client = new ApiClient(await service.started(), '');
    apiKey = /API key +(\S+)/.exec(service.output)?.[1] as string;
    return new Personas(() => client, new Inbox(client));
  };
  const fill = () => {
    const file = openSync(filler, 'w');
    const block = Buffer.alloc(4_096);
    while (statfsSync(directory).bavail > 0) writeSync(file, block);
    closeSync(file);
  };
  const profile = () => client.get('/api/profile', { bearer: user.token, apiKey });

  beforeAll(async () => {
    disk = mountSmallDisk();
    if (!disk) return;
    directory = disk;
    filler = join(directory, 'filler');
    user = await (await start()).user();
  });
  beforeEach((context) => {
    if (!disk) context.skip('Only root may mount a small disk, and only on Linux');
  });
  afterAll(async () => {
    if (!disk) return;
    await service.kill('SIGKILL');
    execFileSync('umount', [directory]);
    rmSync(directory, { recursive: true });
  });

  it('says so of what it cannot write, still serves what it has, and goes on once there is room', async () => {
    const registration = newRegistration();
    const { username } = user.registration;
    fill();
    const writes: [string, object][] = [
      ['/auth/register', registration],
      ['/auth/login', { login: username, password: PASSWORD }],
      ['/auth/refresh-token', { refresh_token: user.refresh_token }],
      ['/auth/forgot-password', { email: user.registration.email }],
    ];
    for (const [path, body] of writes) {
      const { status, body: answer, headers, text } = await client.post(path, body);
      expect(status, `${path} ${text}`).toBe(503);
      expect(answer.code).toBe('service_unavailable');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await profile()).status).toBe(200);
    expect((await client.get('/health/live')).status).toBe(200);

    rmSync(filler);
    expect((await client.post('/auth/register', registration)).status).toBe(201);
    expect((await client.post('/auth/login', { login: username, password: PASSWORD })).status).toBe(200);
    expect((await client.post('/auth/refresh-token', { refresh_token: user.refresh_token })).status).toBe(200);
  });

  it('is killed then, and has everything once there is room', async () => {
    fill();
    expect((await client.post('/auth/register', newRegistration())).status).toBe(503);
    await service.kill('SIGKILL');
    rmSync(filler);
    await start();
    expect((await profile()).status).toBe(200);
    expect((await client.post('/auth/register', newRegistration())).status).toBe(201);
  });
});
