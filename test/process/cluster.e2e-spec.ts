import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { type Backend, ownBackend } from '../support/backends.js';
import { Inbox } from '../support/inbox.js';
import { Personas } from '../support/personas.js';
import { ServiceProcess } from '../support/service-process.js';

const WORKERS = 2;
const PATIENCE = { timeout: 20_000 };

describe('Several processes on one machine', () => {
  let directory: string;
  let backend: Backend;
  const running: ServiceProcess[] = [];
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'accounts-'));
    backend = await ownBackend({ redis: true });
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.kill('SIGKILL')));
    await backend.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  const start = (env: Record<string, string>) => {
    const service = new ServiceProcess({ DATA_DIR: directory, WORKERS: String(WORKERS), ...env }, 'cluster.js');
    running.push(service);
    return service;
  };
  const childrenOf = (pid: number): number[] => {
    const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n');
    const rows = table.map((line) => line.trim().split(/\s+/));
    return rows
      .filter(([, parent, ...args]) => Number(parent) === pid && args.join().includes('main.js'))
      .map(([id]) => Number(id));
  };
  /** A new connection for each request: each goes to the next process. */
  const ask = async (url: string, path: string, headers: Record<string, string> = {}) =>
    (await fetch(url + path, { headers: { ...headers, connection: 'close' } })).status;

  it('serve one port, and none of them a session that another has ended', async () => {
    const service = start(backend.env);
    const url = await service.started();
    await expect.poll(() => service.output, PATIENCE).toContain(`Processes    ${WORKERS}, all listening`);
    const client = new ApiClient(url, '127.0.0.1');
    const user = await new Personas(() => client, new Inbox(client)).user();
    const headers = {
      authorization: `Bearer ${user.token}`,
      'x-api-key': /API key +(\S+)/.exec(service.output)?.[1] as string,
    };
    const everywhere = () => Promise.all(Array.from({ length: 4 * WORKERS }, () => ask(url, '/api/profile', headers)));
    expect(new Set(await everywhere())).toEqual(new Set([200]));
    await client.post('/auth/logout', { refresh_token: user.refresh_token }, { bearer: user.token });
    expect(new Set(await everywhere())).toEqual(new Set([401]));
  });

  it('are replaced when they die, and all end with 0 when they are told to', async () => {
    const service = start(backend.env);
    const url = await service.started();
    await expect.poll(() => service.output, PATIENCE).toContain(`Processes    ${WORKERS}, all listening`);
    const [victim] = childrenOf(service.pid) as [number];
    process.kill(victim, 'SIGKILL');
    await expect.poll(() => service.errors, PATIENCE).toContain(`Process ${victim} ended (SIGKILL)`);
    expect(await ask(url, '/health/ready')).toBe(200);
    await expect.poll(() => childrenOf(service.pid).filter((pid) => pid !== victim).length, PATIENCE).toBe(WORKERS);
    const processes = childrenOf(service.pid);
    expect(await service.kill('SIGTERM')).toBe(0);
    expect(processes.filter((pid) => isAlive(pid))).toEqual([]);
  });

  it('are refused without Redis, in one line', async () => {
    const { REDIS_URL: _, ...env } = backend.env;
    const service = start(env);
    expect(await service.exit()).toBe(1);
    expect(service.errors).toContain('REDIS_URL: several processes need it');
    expect(service.errors).not.toMatch(/\n\s+at /);
  });

  it('do not start where one would not, which is said once', async () => {
    const url = await start(backend.env).started();
    const other = mkdtempSync(join(tmpdir(), 'accounts-'));
    const second = start({ ...backend.env, DATA_DIR: other, PORT: new URL(url).port });
    expect(await second.exit()).toBe(1);
    expect(second.errors.match(/is taken/g)).toHaveLength(1);
    rmSync(other, { recursive: true, force: true });
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
