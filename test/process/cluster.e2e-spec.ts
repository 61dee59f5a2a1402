import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { type Backend, ownBackend } from '../support/backends.js';
import { childrenOf } from '../support/child-processes.js';
import { Inbox } from '../support/inbox.js';
import { Personas } from '../support/personas.js';
import { canLimitOthers, limitFiles } from '../support/process-limits.js';
import { seriesOf } from '../support/series.js';
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

  it('share the cores for passwords, unless the settings say how many each has', async () => {
    const own = Math.max(1, Math.floor(availableParallelism() / WORKERS));
    for (const [env, each] of [
      [{}, own],
      [{ HASH_CONCURRENCY: '7' }, 7],
    ] as const) {
      const service = start({ ...backend.env, ...env });
      await expect.poll(() => childrenOf(service.pid).length, PATIENCE).toBe(1);
      const [pid] = childrenOf(service.pid) as [number];
      const line = execFileSync('ps', ['eww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
      expect(/ HASH_CONCURRENCY=(\d+)/.exec(line)?.[1]).toBe(String(each));
      expect(await service.kill('SIGTERM')).toBe(0);
    }
  });

  /** Waits until all processes listen. @returns one of them as `victim` */
  const startInFull = async () => {
    const service = start(backend.env);
    const url = await service.started();
    await expect.poll(() => service.output, PATIENCE).toContain(`Processes    ${WORKERS}, all listening`);
    const [victim] = childrenOf(service.pid) as [number];
    return { service, url, victim };
  };

  it('are replaced when they die, and all end with 0 when they are told to', async () => {
    const { service, url, victim } = await startInFull();
    process.kill(victim, 'SIGKILL');
    await expect.poll(() => service.errors, PATIENCE).toContain(`Process ${victim} ended (SIGKILL)`);
    expect(await ask(url, '/health/ready')).toBe(200);
    await expect.poll(() => childrenOf(service.pid).filter((pid) => pid !== victim).length, PATIENCE).toBe(WORKERS);
    const processes = childrenOf(service.pid);
    expect(await service.kill('SIGTERM')).toBe(0);
    expect(processes.filter((pid) => isAlive(pid))).toEqual([]);
  });

  it('leave no client waiting for one that died before it had taken the connection', async () => {
    const { url, victim } = await startInFull();
    process.kill(victim, 'SIGSTOP');
    const asked = Array.from({ length: 2 * WORKERS }, () => ask(url, '/health/live').catch(() => 'cut off'));
    const waiting = Symbol('waiting');
    expect(await Promise.race([Promise.all(asked), pause(500, waiting)]), 'one of them has its connection').toBe(
      waiting,
    );
    process.kill(victim, 'SIGKILL');
    const answers = await Promise.all(asked.map((one) => Promise.race([one, pause(3_000, waiting)])));
    expect(answers.filter((answer) => answer === 200).length).toBe(2 * WORKERS - 1);
    expect(answers).toContain('cut off');
  });

  it('are replaced one by one without a growing pause, and say who they are in their log', async () => {
    const service = start({ ...backend.env, LOG_LEVEL: 'info' });
    const url = await service.started();
    await expect.poll(() => service.output, PATIENCE).toContain(`Processes    ${WORKERS}, all listening`);
    expect(service.output).toContain(`Embedded store in ${directory}, for all processes`);
    const told = childrenOf(service.pid);
    const answering = async () => seriesOf(await (await fetch(`${url}/metrics`)).text()).cluster_processes;
    for (const pid of told) {
      process.kill(pid, 'SIGTERM');
      await expect
        .poll(() => service.errors, PATIENCE)
        .toContain(`Process ${pid} ended (code 0); another one starts in 500 ms`);
      await expect.poll(answering, PATIENCE).toBe(WORKERS);
    }
    await ask(url, '/health/live');
    const successors = childrenOf(service.pid);
    const processes = [...told, ...successors];
    expect(await service.kill('SIGTERM')).toBe(0);
    const pids = [...service.output.matchAll(/"pid":(\d+),.*"route":"\/health\/live"/g)].map(([, pid]) => Number(pid));
    expect(pids.length).toBeGreaterThan(0);
    expect(processes).toEqual(expect.arrayContaining(pids));
  });

  it('are replaced ever later while they keep dying, and soon again once one has ended as it was told to', async () => {
    const service = start(backend.env);
    const url = await service.started();
    const isComplete = async () => seriesOf(await (await fetch(`${url}/metrics`)).text()).cluster_processes === WORKERS;
    for (const [signal, end, pauseMs] of [
      ['SIGKILL', 'SIGKILL', 500],
      ['SIGKILL', 'SIGKILL', 1_000],
      ['SIGTERM', 'code 0', 500],
    ] as const) {
      await expect.poll(() => isComplete().catch(() => false), PATIENCE).toBe(true);
      const [pid] = childrenOf(service.pid) as [number];
      process.kill(pid, signal);
      const line = `Process ${pid} ended (${end}); another one starts in ${pauseMs} ms`;
      await expect.poll(() => service.errors, PATIENCE).toContain(line);
      await expect.poll(() => childrenOf(service.pid).filter((one) => one !== pid).length, PATIENCE).toBe(WORKERS);
    }
  });

  it('end with 0, and without a word, when they are told to while the first one starts', async () => {
    const service = start(backend.env);
    await expect.poll(() => childrenOf(service.pid).length, PATIENCE).toBe(1);
    expect(await service.kill('SIGTERM')).toBe(0);
    expect(service.errors).toBe('');
  });

  it('all end though one of them hangs, and however often they are told to', async () => {
    const service = start(backend.env);
    await service.started();
    await expect.poll(() => service.output, PATIENCE).toContain(`Processes    ${WORKERS}, all listening`);
    const processes = childrenOf(service.pid);
    process.kill(processes[0] as number, 'SIGSTOP');
    for (let signal = 0; signal < 3; signal += 1) {
      process.kill(service.pid, 'SIGTERM');
      await pause(100);
    }
    expect(await service.exit()).toBe(0);
    expect(processes.filter((pid) => isAlive(pid))).toEqual([]);
  });

  it('outlive a moment in which the system starts no process', async ({ skip }) => {
    if (!canLimitOthers()) skip('There is no prlimit, which is of Linux');
    const service = start(backend.env);
    const url = await service.started();
    await expect.poll(() => service.output, PATIENCE).toContain(`Processes    ${WORKERS}, all listening`);
    // All below are in use, and stay so whatever the victim leaves.
    limitFiles(service.pid, 5);
    const [victim] = childrenOf(service.pid) as [number];
    process.kill(victim, 'SIGKILL');
    await expect.poll(() => service.errors, PATIENCE).toContain('A process could not start (');
    limitFiles(service.pid, 1_024);
    expect(await ask(url, '/health/ready')).toBe(200);
    await expect.poll(() => childrenOf(service.pid).filter((pid) => pid !== victim).length, PATIENCE).toBe(WORKERS);
    expect(await service.kill('SIGTERM')).toBe(0);
  });

  describe('tell Prometheus', () => {
    const REQUESTS = 12;
    /** Longer than the slowest process is waited for, shorter than Prometheus waits. */
    const SCRAPE_LIMIT_MS = 6_000;
    const LIVE = 'http_request_duration_seconds_count{method="GET",route="/health/live",status="200"}';
    const BELOW_5_S = 'http_request_duration_seconds_bucket{le="5",method="GET",route="/health/live",status="200"}';
    let service: ServiceProcess;
    let url: string;
    beforeEach(async () => {
      service = start(backend.env);
      url = await service.started();
      await expect.poll(() => service.output, PATIENCE).toContain(`Processes    ${WORKERS}, all listening`);
      for (let i = 0; i < REQUESTS; i += 1) await ask(url, '/health/live');
    });

    const scrape = async () => {
      const signal = AbortSignal.timeout(SCRAPE_LIMIT_MS);
      const response = await fetch(`${url}/metrics`, { headers: { connection: 'close' }, signal });
      expect(response.status).toBe(200);
      return seriesOf(await response.text());
    };
    /** Of several at the same time one reaches a process that can answer, whichever cannot. */
    const scrapeAnyhow = () => Promise.any(Array.from({ length: WORKERS }, scrape));

    it('what all of them did, whichever is asked', async () => {
      for (let i = 0; i < 2 * WORKERS; i += 1) {
        const metrics = await scrape();
        expect(metrics).toMatchObject({ [LIVE]: REQUESTS, [BELOW_5_S]: REQUESTS });
        expect(metrics).toMatchObject({ cluster_processes: WORKERS, cluster_workers: WORKERS });
        expect(metrics).toMatchObject({ database_up: 1, redis_up: 1, untrusted_proxy_suspected: 0, mails_waiting: 0 });
        const memory = childrenOf(service.pid).reduce((sum, pid) => sum + memoryOf(pid), 0);
        const share = metrics.process_resident_memory_bytes! / memory;
        expect([share > 0.8, share < 1.25], String(share)).toEqual([true, true]);
        expect(metrics.nodejs_eventloop_lag_p99_seconds).toBeLessThan(1);
      }
    });

    it('the same at the same time to many', async () => {
      const scrapes = await Promise.all(Array.from({ length: 10 }, scrape));
      expect(new Set(scrapes.map((metrics) => metrics[LIVE]))).toEqual(new Set([REQUESTS]));
    });

    it('no less when one of them is too busy to answer', async () => {
      await scrape();
      const [busy, other] = childrenOf(service.pid) as [number, number];
      process.kill(busy, 'SIGSTOP');
      const seen = [];
      try {
        for (let i = 0; i < 2; i += 1) seen.push(await scrapeAnyhow());
      } finally {
        process.kill(busy, 'SIGCONT');
      }
      const memory = memoryOf(other);
      for (const each of seen) {
        expect(each).toMatchObject({ [LIVE]: REQUESTS, cluster_processes: 1, cluster_workers: WORKERS });
        expect(each.process_resident_memory_bytes! / memory, 'of the one that answers').toBeLessThan(1.5);
      }
      await expect.poll(async () => (await scrape()).cluster_processes, PATIENCE).toBe(WORKERS);
      expect((await scrape())[LIVE]).toBe(REQUESTS);
    });

    it('no less when one of them dies, while it is gone, and once it is replaced', async () => {
      await scrape();
      const [victim] = childrenOf(service.pid) as [number];
      process.kill(victim, 'SIGKILL');
      const seen = [];
      const deadline = performance.now() + PATIENCE.timeout;
      do {
        expect(performance.now(), `${service.output}${service.errors}`).toBeLessThan(deadline);
        seen.push(await scrapeAnyhow());
        await ask(url, '/health/live').catch(() => undefined);
      } while (seen.length < 3 || seen.at(-1)?.cluster_processes !== WORKERS);
      const counts = seen.map((metrics) => metrics[LIVE] as number);
      expect(counts[0]).toBe(REQUESTS);
      expect(counts).toEqual([...counts].sort((one, other) => one - other));
      const memory = childrenOf(service.pid).reduce((sum, pid) => sum + memoryOf(pid), 0);
      expect(seen.at(-1)!.process_resident_memory_bytes! / memory, 'without the dead one').toBeLessThan(1.5);
      const cpu = seen.map((metrics) => metrics.process_cpu_seconds_total as number);
      expect(cpu).toEqual([...cpu].sort((one, other) => one - other));
    });
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

/** Resident, in bytes. */
function memoryOf(pid: number): number {
  return 1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
}
