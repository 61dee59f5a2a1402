import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEmbeddedMongodb } from '../../src/infrastructure/database/embedded-mongodb/index.js';
import { ApiClient } from '../support/api-client.js';
import { freePort } from '../support/free-port.js';
import { Inbox } from '../support/inbox.js';
import { newRegistration, PASSWORD, Personas } from '../support/personas.js';
import { exchange } from '../support/raw-http.js';
import { DIST, ServiceProcess } from '../support/service-process.js';
import { TcpProxy } from '../support/tcp-proxy.js';

describe('The service as a process', () => {
  let directory: string;
  const running: ServiceProcess[] = [];
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'accounts-'));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.kill('SIGKILL')));
    rmSync(directory, { recursive: true, force: true });
  });

  const start = (env: Record<string, string> = {}) => {
    const service = new ServiceProcess({ DATA_DIR: directory, ...env });
    running.push(service);
    return service;
  };
  const people = (url: string) => {
    const client = new ApiClient(url, '127.0.0.1');
    return { client, personas: new Personas(() => client, new Inbox(client)) };
  };
  const apiKeyOf = (service: ServiceProcess) => /API key +(\S+)/.exec(service.output)?.[1] as string;

  it('starts with nothing set, and says in a few lines what one needs to know', async () => {
    const service = start();
    const url = await service.started();
    const lines = service.output.trim().split('\n');
    expect(lines.length).toBeLessThanOrEqual(9);
    expect(service.output).toContain(`${url}/docs`);
    expect(service.output).toContain(`${url}/dev/inbox`);
    expect(apiKeyOf(service)).toMatch(/^dev_\S{32}$/);
    expect(service.output).toMatch(/Not suited to production:.*MONGODB_URI.*REDIS_URL.*SMTP_HOST.*JWT_SECRET/s);
    expect(service.errors).toBe('');
    expect((await new ApiClient(url, '').get('/health/ready')).status).toBe(200);
  });

  it('keeps accounts, sessions, secrets and mails over a restart, even one by SIGKILL', async () => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const first = start();
      const before = people(await first.started());
      const user = await before.personas.user();
      const unconfirmed = await before.personas.visitor();
      const key = apiKeyOf(first);
      const exitCode = await first.kill(signal);
      expect(exitCode).toBe(signal === 'SIGTERM' ? 0 : null);

      const second = start();
      const after = people(await second.started());
      expect(apiKeyOf(second)).toBe(key);
      const profile = await after.client.get('/api/profile', { bearer: user.token, apiKey: key });
      expect(profile.status).toBe(200);
      const refreshed = await after.client.post('/auth/refresh-token', { refresh_token: user.refresh_token });
      expect(refreshed.status).toBe(200);
      const { email, username } = unconfirmed.registration;
      const { otp } = await new Inbox(after.client).waitFor(email, 'email-verification');
      expect((await after.client.post('/auth/verify-otp', { email, otp })).status).toBe(200);
      expect((await after.client.post('/auth/login', { login: username, password: PASSWORD })).status).toBe(200);
      await second.kill('SIGKILL');
    }
  });

  it('ends when it is told to, also while it still waits for its database', async () => {
    const service = start({ MONGODB_URI: 'mongodb://127.0.0.1:1/?directConnection=true' });
    await expect.poll(() => service.output, { timeout: 10_000 }).toContain('Waiting for the database');
    expect(await service.kill('SIGTERM')).toBe(0);
  });

  it('ends with 0 when it is told to while it sets up its database', async () => {
    const store = await startEmbeddedMongodb();
    const proxy = await TcpProxy.before(store.uri);
    let isSettingUp = false;
    proxy.judge = (chunk) => {
      isSettingUp ||= chunk.includes('createIndexes');
      return isSettingUp ? 'late' : 'pass';
    };
    const service = start({ MONGODB_URI: proxy.mongodbUri });
    await expect.poll(() => isSettingUp, { timeout: 20_000 }).toBe(true);
    const ended = service.kill('SIGTERM');
    await pause(500);
    proxy.judge = () => 'pass';
    expect(await ended).toBe(0);
    expect(service.errors).toBe('');
    await proxy.close();
    await store.close();
  });

  it('ends within ten seconds though its database hangs, and what asks it', async () => {
    const store = await startEmbeddedMongodb();
    const proxy = await TcpProxy.before(store.uri);
    const service = start({ MONGODB_URI: proxy.mongodbUri });
    const client = new ApiClient(await service.started(), '');
    proxy.freeze();
    const asked = client.post('/auth/register', newRegistration());
    await pause(100);
    process.kill(service.pid, 'SIGTERM');
    const ended = service.exit(11_000);
    expect((await asked).status).toBe(503);
    expect(await ended).toBe(0);
    await proxy.close();
    await store.close();
  });

  it('starts though the one before it has not quite ended', async () => {
    const first = start();
    const client = new ApiClient(await first.started(), '');
    // A connection that is open is given a second to be closed by its client.
    expect((await client.get('/health/live')).status).toBe(200);
    const ended = first.kill('SIGTERM');
    const second = start();
    await second.started();
    expect(await ended).toBe(0);
    expect(apiKeyOf(second)).toBe(apiKeyOf(first));
  });

  it.for(['a full disk', 'a reader that does not read'])(
    'goes on where its log goes to %s, and ends when it is told to',
    async (where, { skip }) => {
      if (where === 'a full disk' && !existsSync('/dev/full')) skip('There is no /dev/full, which is of Linux');
      const PORT = String(await freePort());
      const output = where === 'a full disk' ? openSync('/dev/full', 'w') : 'pipe';
      const service = spawn(process.execPath, [join(DIST, 'main.js')], {
        env: { PATH: process.env.PATH, PORT, DATA_DIR: directory, LOG_LEVEL: 'info', RATE_LIMIT: '100000' },
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

  it('ends with npm, whose shell dies without telling it', async () => {
    const service = `"${process.execPath}" "${join(DIST, 'main.js')}"; true`;
    const env = { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'warn', DATA_DIR: directory };
    const shell = spawn('sh', ['-c', service], { env: { ...env, npm_lifecycle_event: 'start' }, detached: true });
    try {
      let output = '';
      shell.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
      await expect.poll(() => output, { timeout: 20_000 }).toMatch(/ on http:/);
      // The service has the other end of its output, too.
      const allGone = once(shell, 'close');
      shell.kill('SIGTERM');
      await allGone;
      const url = / on (http:\/\/\S+)/.exec(output)?.[1] as string;
      await expect(fetch(url)).rejects.toThrow('fetch failed');
    } finally {
      try {
        process.kill(-(shell.pid as number), 'SIGKILL');
      } catch {
        // All of them have ended.
      }
    }
  });

  it('hashes passwords with bcrypt at cost 10', async () => {
    const service = start();
    const { personas, client } = people(await service.started());
    const { registration } = await personas.confirmed();
    const started = Date.now();
    await client.post('/auth/login', { login: registration.username, password: PASSWORD });
    expect(Date.now() - started).toBeGreaterThan(10);
    await service.kill('SIGTERM');
    const { createConnection } = await import('mongoose');
    const store = await startEmbeddedMongodb({ directory: join(directory, 'mongodb') });
    const connection = await createConnection(store.uri, { dbName: 'accounts' }).asPromise();
    const user = await connection.collection('users').findOne({ username: registration.username });
    expect(user?.password).toMatch(/^\$2b\$10\$/);
    await connection.close();
    await store.close();
  });

  it('finishes what runs when it is told to stop', async () => {
    const service = start({ AUTH_RATE_LIMIT: '1000', HASH_CONCURRENCY: '2' });
    const url = await service.started();
    const client = new ApiClient(url, '');
    const answers = Array.from({ length: 15 }, () => client.post('/auth/register', newRegistration()));
    await Promise.race(answers);
    const stopping = Date.now();
    const exited = service.kill('SIGTERM');
    const settled = await Promise.allSettled(answers);
    expect(settled.map((answer) => (answer.status === 'fulfilled' ? answer.value.status : 'cut off'))).toEqual(
      Array.from({ length: 15 }, () => 201),
    );
    expect(await exited).toBe(0);
    expect(Date.now() - stopping, 'it was not cut off').toBeLessThan(9_000);
  });

  it('tells of each request in one line: by which application, for which route, and how it ended', async () => {
    const service = start({ LOG_LEVEL: 'info' });
    const client = new ApiClient(await service.started(), '');
    await client.get('/api/profile?page=1', { apiKey: apiKeyOf(service), headers: { 'x-request-id': 'one-line' } });
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
    const service = start({ LOG_LEVEL: 'info', API_KEYS: digests.join(',') });
    const url = await service.started();
    const requestWith = (key: string, header = '') =>
      `GET /api/profile HTTP/1.1\r\nHost: accounts\r\nX-Api-Key: ${key}\r\n${header}\r\n`;
    const requests = requestWith('a') + requestWith('b') + requestWith('c', 'Connection: close\r\n');
    for (let i = 0; i < 5; i += 1) await exchange(url, requests);
    await service.kill('SIGTERM');
    const names = [...service.output.matchAll(/"api_key":"(.)"/g)].map(([, name]) => name);
    expect(names.join('')).toBe('abc'.repeat(5));
  });

  it('waits for a database that does not answer yet, and says so once', async () => {
    const service = start({ MONGODB_URI: 'mongodb://127.0.0.1:1/accounts' });
    await expect.poll(() => service.output, { timeout: 15_000 }).toMatch(/Waiting for the database of MONGODB_URI/);
    expect(service.output.trim().split('\n').length).toBe(1);
    expect(service.output).not.toMatch(/stack|\n\s+at /);
  });

  it('keeps its secrets to its user', async () => {
    const service = start();
    await service.started();
    const file = join(directory, 'development-secrets.json');
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['jwtSecret', 'jwtRefreshSecret', 'apiKey']);
  });

  describe('refuses to start, with one clear line and exit code 1,', () => {
    const refusal = async (env: Record<string, string>) => {
      const service = start(env);
      expect(await service.exit()).toBe(1);
      expect(service.errors).not.toMatch(/\n\s+at |node_modules/);
      expect(service.output).toBe('');
      return service.errors;
    };

    it('when the port is taken', async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as { port: number };
      expect(await refusal({ PORT: String(port) })).toBe(
        `Port ${port} on 127.0.0.1 is taken: stop the other process, or set PORT\n`,
      );
      server.close();
    });

    it('when HOST is no address of this machine', async () => {
      expect(await refusal({ HOST: '192.0.2.1' })).toBe('HOST is not an address of this machine\n');
    });

    it('when another process has the same DATA_DIR', async () => {
      const other = start();
      await other.started();
      expect(await refusal({})).toMatch(
        /^The service cannot start: DATA_DIR .+ is in use by another process: stop it, or set another DATA_DIR\n$/,
      );
      expect((await new ApiClient(await other.started(), '').get('/health/ready')).status).toBe(200);
    });

    it('when DATA_DIR cannot be used', async () => {
      const file = join(directory, 'file');
      writeFileSync(file, '');
      expect(await refusal({ DATA_DIR: join(file, 'data') })).toMatch(
        /^The settings are wrong:\n {2}- DATA_DIR: .+ cannot be used \(ENOTDIR\)\n$/,
      );
      // Node itself would try for ever to make a directory there.
      if (process.platform === 'linux') expect(await refusal({ DATA_DIR: '/proc/none/data' })).toContain('(ENOENT)');
    });

    it('when settings are wrong, all of them named and none shown', async () => {
      const errors = await refusal({
        PORT: '99999',
        JWT_EXPIRES: 'soon',
        OTP_EXPIRES: '1d',
        FRONTEND_URL: 'javascript:alert(1)',
        API_KEYS: 'name-without-digest',
        TRUST_PROXY: 'everyone',
        LOG_LEVEL: 'loud',
        MONGODB_URI: 'postgres://secret@host',
      });
      for (const name of [
        'PORT',
        'JWT_EXPIRES',
        'OTP_EXPIRES',
        'FRONTEND_URL',
        'API_KEYS',
        'TRUST_PROXY',
        'LOG_LEVEL',
        'MONGODB_URI',
      ]) {
        expect(errors).toContain(`  - ${name}: `);
      }
      expect(errors).not.toMatch(/99999|soon|1d\b|alert|name-without|everyone|loud|secret@/);
    });

    it('in production without secrets and stores, or with weak, equal or example secrets', async () => {
      const missing = await refusal({ NODE_ENV: 'production' });
      for (const name of ['JWT_SECRET', 'JWT_REFRESH_SECRET', 'MONGODB_URI', 'REDIS_URL'])
        expect(missing).toContain(`  - ${name}: `);

      const production = { NODE_ENV: 'production', ALLOW_EMBEDDED: 'true' };
      const strong = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF';
      expect(await refusal({ ...production, JWT_SECRET: 'short', JWT_REFRESH_SECRET: strong })).toContain(
        'JWT_SECRET: must have at least 32 bytes',
      );
      expect(await refusal({ ...production, JWT_SECRET: '<SECRET>', JWT_REFRESH_SECRET: strong })).toContain(
        'JWT_SECRET: is an example value',
      );
      expect(await refusal({ ...production, JWT_SECRET: 'a'.repeat(40), JWT_REFRESH_SECRET: strong })).toContain(
        'JWT_SECRET: is too regular',
      );
      expect(await refusal({ ...production, JWT_SECRET: strong, JWT_REFRESH_SECRET: strong })).toContain(
        'JWT_REFRESH_SECRET: must differ from JWT_SECRET',
      );
    });
  });

  /** Which of the service's files a process has loaded, by V8's own account. */
  const filesLoadedBy = async (env: Record<string, string>) => {
    const coverage = join(directory, 'coverage');
    const service = start({ ...env, NODE_V8_COVERAGE: coverage });
    await service.started();
    expect(await service.kill('SIGTERM')).toBe(0);
    const reports = readdirSync(coverage).map((file) => readFileSync(join(coverage, file), 'utf8'));
    return reports.flatMap((report) =>
      (JSON.parse(report) as { result: { url: string }[] }).result
        .filter(({ url }) => url.startsWith(`${pathToFileURL(DIST)}/`))
        .map(({ url }) => fileURLToPath(url)),
    );
  };

  const PRODUCTION = {
    NODE_ENV: 'production',
    ALLOW_EMBEDDED: 'true',
    HOST: '127.0.0.1',
    JWT_SECRET: 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF',
    JWT_REFRESH_SECRET: 'Fe0Cb7Zy4Wv1Ts8Qp5Nm2Kj9Hg6Ed3Ba',
  };

  it('loads the test kit in development, and not a line of it in production', async () => {
    const linesOfTheKit = (files: string[]) =>
      files
        .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
        .filter((line) => line.startsWith('// dist/modules/dev-tools/'));
    expect(linesOfTheKit(await filesLoadedBy({})).length).toBeGreaterThan(10);
    rmSync(join(directory, 'coverage'), { recursive: true });
    const inProduction = await filesLoadedBy(PRODUCTION);
    expect(inProduction).toContain(join(DIST, 'main.js'));
    expect(linesOfTheKit(inProduction)).toEqual([]);
  });

  it('starts in production on the embedded store when that is allowed, without development tools', async () => {
    const service = start(PRODUCTION);
    const url = await service.started();
    expect(service.output).not.toContain('API key');
    const client = new ApiClient(url, '');
    const kit: [string, string][] = [
      ['GET', '/dev'],
      ['GET', '/dev/inbox'],
      ['GET', '/dev/inbox?to=a@example.com'],
      ['GET', '/dev/inbox/next?to=a@example.com'],
      ['GET', '/dev/clock'],
      ['PATCH', '/dev/clock'],
      ['DELETE', '/dev/clock'],
      ['GET', '/dev/faults'],
      ['PATCH', '/dev/faults'],
      ['DELETE', '/dev/faults'],
      ['DELETE', '/dev/state'],
    ];
    for (const [method, path] of kit) expect((await client.request(path, { method })).status, path).toBe(404);
    const statuses = [];
    for (const namespace of ['a', 'b', 'c', 'd', 'e', 'f', 'not a name'])
      statuses.push(
        (await client.post('/auth/login', {}, { headers: { 'x-test-limit-namespace': namespace } })).status,
      );
    expect(statuses, 'namespaces of limits are not looked at').toEqual([422, 422, 422, 422, 422, 429, 429]);
    expect((await client.get('/docs')).status).toBe(200);
  });
});
