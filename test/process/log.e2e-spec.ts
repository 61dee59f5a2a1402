import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startEmbeddedMongodb } from '../../src/infrastructure/database/embedded-mongodb/index.js';
import { ApiClient } from '../support/api-client.js';
import { freePort } from '../support/free-port.js';
import { developmentApiKeyOf, processSuite } from '../support/process-suite.js';
import { exchange, openConnection } from '../support/raw-http.js';
import { seriesOf } from '../support/series.js';
import { DIST } from '../support/service-process.js';
import { TcpProxy } from '../support/tcp-proxy.js';

/** Reads 750 kB a second at most, and passes it on. */
const SLOW_READER = `
  const { openSync, readSync, writeSync } = require('node:fs');
  const [bytes, never] = [Buffer.alloc(3_000), new Int32Array(new SharedArrayBuffer(4))];
  const pipe = openSync(process.argv[1]);
  for (let length; (length = readSync(pipe, bytes)) > 0; Atomics.wait(never, 0, 0, 4)) writeSync(1, bytes.subarray(0, length));
`;

describe('The log of the service as a process', () => {
  const suite = processSuite();

  it('tells of each request in one line: by which application, for which route, and how it ended', async () => {
    const service = suite.start({ LOG_LEVEL: 'info' });
    const client = new ApiClient(await service.started(), '');
    await client.get('/api/profile?page=1', {
      apiKey: developmentApiKeyOf(service),
      headers: { 'x-request-id': 'one-line' },
    });
    await service.kill('SIGTERM');
    const lines = service.output.split('\n').filter((line) => line.startsWith('{'));
    const ofRequests = lines.map((line) => JSON.parse(line) as object).filter((line) => 'route' in line);
    expect(ofRequests).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        request_id: 'one-line',
        method: 'GET',
        route: '/api/profile',
        status: 401,
        duration_ms: expect.any(Number),
        ip: '127.0.0.1',
        api_key: 'development',
        msg: 'request',
      },
    ]);
  });

  it('names the application of each request, not of the one before it on the connection', async () => {
    const keys = ['a', 'b', 'c'];
    const digests = keys.map((key) => `${key}:${createHash('sha256').update(key).digest('hex')}`);
    const service = suite.start({ LOG_LEVEL: 'info', API_KEYS: digests.join(',') });
    const url = await service.started();
    const requestWith = (key: string, header = '') =>
      `GET /api/profile HTTP/1.1\r\nHost: accounts\r\nX-Api-Key: ${key}\r\n${header}\r\n`;
    const requests = requestWith('a') + requestWith('b') + requestWith('c', 'Connection: close\r\n');
    for (let i = 0; i < 5; i += 1) await exchange(url, requests);
    await service.kill('SIGTERM');
    const names = [...service.output.matchAll(/"api_key":"(.)"/g)].map(([, name]) => name);
    expect(names.join('')).toBe('abc'.repeat(5));
  });

  it('has a line of what was given up before it was answered, and a metric', async () => {
    const store = await startEmbeddedMongodb();
    const proxy = await TcpProxy.before(store.uri);
    const service = suite.start({ LOG_LEVEL: 'info', MONGODB_URI: proxy.mongodbUri });
    const url = await service.started();
    proxy.freeze();
    const body = JSON.stringify({ login: 'ada', password: 'Abcdef1@' });
    const headers = { 'content-type': 'application/json' };
    const asked = fetch(`${url}/auth/login`, { method: 'POST', body, headers, signal: AbortSignal.timeout(300) });
    await expect(asked).rejects.toThrow('aborted');
    const metrics = async () => seriesOf((await new ApiClient(url, '').get('/metrics')).text);
    const GIVEN_UP = 'http_request_duration_seconds_count{method="POST",route="/auth/login",status="499"}';
    await expect.poll(async () => (await metrics())[GIVEN_UP], { timeout: 10_000 }).toBe(1);
    proxy.restore();
    await service.kill('SIGTERM');
    const lines = service.output.split('\n').filter((line) => line.includes('"/auth/login"'));
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ msg: 'request', status: 499 }]);
    await proxy.close();
    await store.close();
  });

  it('has one line a second of an outage, which says what is out, however many are refused', async () => {
    const store = await startEmbeddedMongodb();
    const proxy = await TcpProxy.before(store.uri);
    const service = suite.start({ MONGODB_URI: proxy.mongodbUri });
    const client = new ApiClient(await service.started(), '');
    proxy.cut();
    const login = () => client.post('/auth/login', { login: 'ada', password: 'Abcdef1@' });
    const answers = await Promise.all([login(), login(), login(), login()]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    await service.kill('SIGTERM');
    const lines = service.output.split('\n').filter((line) => line.includes('"Service unavailable"'));
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 'warn', cause: expect.stringContaining('Mongo') as string, request_id: expect.any(String) as string },
    ]);
    await proxy.close();
    await store.close();
  });

  it('takes a caller who breaks off in the middle of a body for no outage', async () => {
    const service = suite.start({ LOG_LEVEL: 'info' });
    const url = await service.started();
    const head =
      'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n';
    const socket = await openConnection(url);
    socket.write(head);
    // By then the service has begun with the request.
    await once(socket, 'data');
    socket.write('{"login":');
    // Else the reset could overtake what was sent.
    await pause(100);
    socket.resetAndDestroy();
    const ofLogin = () => service.output.split('\n').filter((line) => line.includes('"/auth/login"'));
    await expect.poll(() => ofLogin().length, { timeout: 10_000 }).toBe(1);
    await service.kill('SIGTERM');
    expect(ofLogin().map((line) => JSON.parse(line) as object)).toMatchObject([{ msg: 'request', status: 499 }]);
    expect(service.output).not.toContain('Service unavailable');
    expect(service.output).not.toContain('Unexpected error');
  });

  it.skipIf(process.platform === 'win32')('has whole lines for a reader that is slow', async () => {
    const pipe = join(suite.directory, 'log');
    execFileSync('mkfifo', [pipe]);
    const reader = spawn(process.execPath, ['--eval', SLOW_READER, pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    reader.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const allRead = once(reader.stdout, 'end');
    const output = openSync(pipe, 'w');
    const PORT = String(await freePort());
    const env = { PATH: process.env.PATH, PORT, DATA_DIR: suite.directory, LOG_LEVEL: 'info', RATE_LIMIT: '100000' };
    const service = spawn(process.execPath, [join(DIST, 'main.js')], { env, stdio: ['ignore', output, 'inherit'] });
    closeSync(output);
    try {
      const client = new ApiClient(`http://127.0.0.1:${PORT}`, '');
      await expect.poll(() => text, { timeout: 20_000 }).toContain('Account service');
      for (let round = 0; round < 60; round += 1)
        await Promise.all(Array.from({ length: 100 }, () => client.get('/api/profile')));
      service.kill('SIGTERM');
      await allRead;
    } finally {
      service.kill('SIGKILL');
      reader.kill('SIGKILL');
    }
    // The last may be cut off by the end of the process.
    const lines = text
      .slice(text.indexOf('\n{') + 1)
      .split('\n')
      .slice(0, -1);
    expect(lines.length).toBeGreaterThan(1_000);
    expect(lines.filter((line) => !line.startsWith('{"level":') || !line.endsWith('}'))).toEqual([]);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: 'info' });
  });

  it.for(['a full disk', 'a reader that does not read', 'a reader that is gone'])(
    'goes to %s: the service goes on, counts what is lost, and ends when it is told to',
    async (where, { skip }) => {
      if (where === 'a full disk' && !existsSync('/dev/full')) skip('There is no /dev/full, which is of Linux');
      const PORT = String(await freePort());
      const output = where === 'a full disk' ? openSync('/dev/full', 'w') : 'pipe';
      const service = spawn(process.execPath, [join(DIST, 'main.js')], {
        env: { PATH: process.env.PATH, PORT, DATA_DIR: suite.directory, LOG_LEVEL: 'info', RATE_LIMIT: '100000' },
        stdio: ['ignore', output, output],
      });
      const ended = once(service, 'exit');
      try {
        const client = new ApiClient(`http://127.0.0.1:${PORT}`, '');
        const statusOf = (path: string) =>
          client.get(path).then(
            ({ status }) => status,
            () => 0,
          );
        await expect.poll(() => statusOf('/health/live'), { timeout: 20_000 }).toBe(200);
        if (where === 'a reader that is gone') service.stdout?.destroy();
        // More than a megabyte of lines: refused requests are written at once, the others some at a time.
        for (let round = 0; round < 60; round += 1) {
          const statuses = await Promise.all(Array.from({ length: 50 }, () => statusOf('/api/profile')));
          expect(new Set(statuses)).toEqual(new Set([401]));
        }
        const { log_lines_lost_total } = seriesOf((await client.get('/metrics')).text);
        // Where there is a reader still, some are kept for it.
        expect(log_lines_lost_total).toBeGreaterThan(where === 'a reader that is gone' ? 3_000 : 100);
        expect(await statusOf('/health/live')).toBe(200);
        service.kill('SIGTERM');
        expect(await Promise.race([ended, pause(9_000)])).toEqual([0, null]);
      } finally {
        service.kill('SIGKILL');
        if (typeof output === 'number') closeSync(output);
      }
    },
  );
});
