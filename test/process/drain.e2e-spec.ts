import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { newRegistration } from '../support/personas.js';
import { openConnection, parseAnswer, untilClosed } from '../support/raw-http.js';
import { ServiceProcess } from '../support/service-process.js';

const CONNECTIONS = 8;
const STOPS_UNDER_LOAD = 5;
const REQUEST = 'GET /health/live HTTP/1.1\r\nHost: accounts\r\n\r\n';

describe('A service that is told to stop while a proxy still sends it requests', () => {
  let directory: string;
  let service: ServiceProcess;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'accounts-'));
    // One hash at a time, so that on a machine of many cores, too, some requests are under way at the stop.
    service = new ServiceProcess({ DATA_DIR: directory, HASH_CONCURRENCY: '1' });
  });
  afterEach(async () => {
    await service.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });

  it('answers what still comes on open connections, each for the last time, and takes no new ones', async () => {
    const url = await service.started();
    const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(url)));
    for (const connection of connections) expect(await answerOn(connection)).toMatchObject({ status: 200 });
    const ends = connections.map((connection) => untilClosed(connection));
    const exited = service.kill('SIGTERM');
    await untilRefused(url);
    for (const connection of connections) connection.write(REQUEST);
    for (const answer of (await Promise.all(ends)).map(parseAnswer)) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('connection')).toBe('close');
    }
    expect(await exited).toBe(0);
  });

  it('says with the answer to what was under way that the connection ends', async () => {
    const url = await service.started();
    const client = new ApiClient(url, '');
    const registrations = Array.from({ length: 4 }, () => client.post('/auth/register', newRegistration()));
    await Promise.race(registrations);
    const exited = service.kill('SIGTERM');
    const [, ...later] = await Promise.all(registrations);
    expect(later.map((answer) => answer.status)).toEqual([201, 201, 201]);
    expect(later.map((answer) => answer.headers.get('connection'))).toContain('close');
    expect(await exited).toBe(0);
  });

  it('cuts what stays idle, and is gone', async () => {
    const url = await service.started();
    const idle = await openConnection(url);
    await answerOn(idle);
    const silent = await openConnection(url);
    const ends = [idle, silent].map((connection) => untilClosed(connection));
    expect(await service.kill('SIGTERM')).toBe(0);
    expect(await Promise.all(ends)).toEqual(['', '']);
  });

  it(`loses no request of a busy proxy, at each of ${STOPS_UNDER_LOAD} stops`, async () => {
    for (let stop = 0; stop < STOPS_UNDER_LOAD; stop += 1) {
      const url = await service.started();
      const load = Array.from({ length: CONNECTIONS }, () => requestUntilRefused(url));
      await pause(200);
      expect(await service.kill('SIGTERM')).toBe(0);
      expect(await Promise.all(load)).toEqual(Array.from({ length: CONNECTIONS }, () => 'ECONNREFUSED'));
      service = new ServiceProcess({ DATA_DIR: directory });
    }
  });
});

/** The next answer on a connection that stays open. */
async function answerOn(connection: Socket): Promise<{ status: number }> {
  connection.write(REQUEST);
  const chunk = await new Promise<Buffer>((resolve) => connection.once('data', resolve));
  return parseAnswer(chunk.toString('latin1'));
}

async function untilRefused(url: string): Promise<void> {
  const attempt = () =>
    openConnection(url).then(
      (connection) => void connection.destroy(),
      (error: NodeJS.ErrnoException) => error.code,
    );
  await expect.poll(attempt, { interval: 5, timeout: 10_000 }).toBe('ECONNREFUSED');
}

/** One request after the other on a connection that is kept, as a proxy does. @returns why the last one failed */
async function requestUntilRefused(url: string): Promise<string | undefined> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (;;) await get(`${url}/health/live`, agent);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    agent.destroy();
  }
}

function get(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (response) => response.resume().once('end', resolve).once('error', reject))
      .once('error', reject)
      .end();
  });
}
