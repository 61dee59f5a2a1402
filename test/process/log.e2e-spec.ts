import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { freePort } from '../support/free-port.js';
import { developmentApiKeyOf, processSuite } from '../support/process-suite.js';
import { exchange } from '../support/raw-http.js';
import { DIST } from '../support/service-process.js';

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

  it.for(['a full disk', 'a reader that does not read'])(
    'goes to %s: the service goes on, and ends when it is told to',
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
        // A megabyte of lines: refused requests are written at once, the others some at a time.
        for (let round = 0; round < 60; round += 1) {
          const statuses = await Promise.all(Array.from({ length: 50 }, () => statusOf('/api/profile')));
          expect(new Set(statuses)).toEqual(new Set([401]));
        }
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
