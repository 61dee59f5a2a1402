import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { startEmbeddedMongodb } from '../../src/infrastructure/database/embedded-mongodb/index.js';
import { ApiClient } from '../support/api-client.js';
import { Inbox } from '../support/inbox.js';
import { PASSWORD, Personas } from '../support/personas.js';
import { developmentApiKeyOf, processSuite } from '../support/process-suite.js';
import { DIST } from '../support/service-process.js';

describe('The service as a process', () => {
  const suite = processSuite();
  const people = (url: string) => {
    const client = new ApiClient(url, '127.0.0.1');
    return { client, personas: new Personas(() => client, new Inbox(client)) };
  };

  it('starts with nothing set, and says in a few lines what one needs to know', async () => {
    const service = suite.start();
    const url = await service.started();
    const lines = service.output.trim().split('\n');
    expect(lines.length).toBeLessThanOrEqual(9);
    expect(service.output).toContain(`${url}/docs`);
    expect(service.output).toContain(`${url}/dev/inbox`);
    expect(developmentApiKeyOf(service)).toMatch(/^dev_\S{32}$/);
    expect(service.output).toMatch(/Not suited to production:.*MONGODB_URI.*REDIS_URL.*SMTP_HOST.*JWT_SECRET/s);
    expect(service.errors).toBe('');
    expect((await new ApiClient(url, '').get('/health/ready')).status).toBe(200);
  });

  it('says that its test kit can be reached, where it can be from other machines, or erases a database that is not its own', async () => {
    const store = await startEmbeddedMongodb();
    for (const env of [{ HOST: '0.0.0.0' }, { MONGODB_URI: store.uri }] as Record<string, string>[]) {
      const service = suite.start(env);
      await service.started();
      expect(service.output).toContain('test kit under /dev: whoever reaches this port can');
      await service.kill('SIGTERM');
    }
    await store.close();
  });

  it('says what is wrong with its file of settings', async () => {
    const file = join(suite.directory, '.env');
    const fault = async () => {
      const service = spawn(process.execPath, [join(DIST, 'main.js')], { cwd: suite.directory, env: {} });
      let errors = '';
      service.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
      expect(await once(service, 'close')).toEqual([1, null]);
      return errors;
    };
    mkdirSync(file);
    expect(await fault()).toBe('The settings are wrong:\n  - .env: is no file that can be read\n');
    rmdirSync(file);
    const settings = 'NODE_ENV=production\n';
    for (const written of [
      Buffer.from(`\uFEFF${settings}`),
      Buffer.from(`\uFEFF${settings}`, 'utf16le'),
      Buffer.from(settings, 'utf16le'),
    ]) {
      writeFileSync(file, written);
      expect(await fault()).toBe('The settings are wrong:\n  - .env: must be UTF-8 without a byte order mark\n');
    }
    rmSync(file);
  });

  it('keeps accounts, sessions, secrets and mails over a restart, even one by SIGKILL', async () => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const first = suite.start();
      const before = people(await first.started());
      const user = await before.personas.user();
      const unconfirmed = await before.personas.visitor();
      const key = developmentApiKeyOf(first);
      const exitCode = await first.kill(signal);
      expect(exitCode).toBe(signal === 'SIGTERM' ? 0 : null);

      const second = suite.start();
      const after = people(await second.started());
      expect(developmentApiKeyOf(second)).toBe(key);
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

  it('hashes passwords with bcrypt at cost 10', async () => {
    const service = suite.start();
    const { personas, client } = people(await service.started());
    const { registration } = await personas.confirmed();
    const started = Date.now();
    await client.post('/auth/login', { login: registration.username, password: PASSWORD });
    expect(Date.now() - started).toBeGreaterThan(10);
    await service.kill('SIGTERM');
    const { createConnection } = await import('mongoose');
    const store = await startEmbeddedMongodb({ directory: join(suite.directory, 'mongodb') });
    const connection = await createConnection(store.uri, { dbName: 'accounts' }).asPromise();
    const user = await connection.collection('users').findOne({ username: registration.username });
    expect(user?.password).toMatch(/^\$2b\$10\$/);
    await connection.close();
    await store.close();
  });

  it('waits for a database that does not answer yet, and says so once', async () => {
    const service = suite.start({ MONGODB_URI: 'mongodb://127.0.0.1:1/accounts' });
    await expect.poll(() => service.output, { timeout: 15_000 }).toMatch(/Waiting for the database of MONGODB_URI/);
    expect(service.output.trim().split('\n').length).toBe(1);
    expect(service.output).not.toMatch(/stack|\n\s+at /);
  });

  it('keeps its secrets to its user', async () => {
    const service = suite.start();
    await service.started();
    const file = join(suite.directory, 'development-secrets.json');
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['jwtSecret', 'jwtRefreshSecret', 'apiKey']);
  });

  describe('refuses to start, with one clear line and exit code 1,', () => {
    const refusal = async (env: Record<string, string>) => {
      const service = suite.start(env);
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

    it('when there is a mistake in its code, and says where', async () => {
      const mistake =
        'import http from "node:http"; import { syncBuiltinESMExports } from "node:module";' +
        'http.createServer = function mistaken() { undefined.port; }; syncBuiltinESMExports();';
      const service = suite.start({ NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(mistake)}` });
      expect(await service.exit()).toBe(1);
      expect(service.errors).toMatch(/^The service cannot start: TypeError: .*port.*\n +at .*mistaken/);
    });

    it('when HOST is no address of this machine', async () => {
      expect(await refusal({ HOST: '192.0.2.1' })).toBe('HOST is not an address of this machine\n');
    });

    it('when another process has the same DATA_DIR', async () => {
      const other = suite.start();
      await other.started();
      expect(await refusal({})).toMatch(
        /^The service cannot start: DATA_DIR .+ is in use by another process: stop it, or set another DATA_DIR\n$/,
      );
      expect((await new ApiClient(await other.started(), '').get('/health/ready')).status).toBe(200);
    });

    it('when DATA_DIR cannot be used', async () => {
      const file = join(suite.directory, 'file');
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
    const coverage = join(suite.directory, 'coverage');
    const service = suite.start({ ...env, NODE_V8_COVERAGE: coverage });
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
    rmSync(join(suite.directory, 'coverage'), { recursive: true });
    const inProduction = await filesLoadedBy(PRODUCTION);
    expect(inProduction).toContain(join(DIST, 'main.js'));
    expect(linesOfTheKit(inProduction)).toEqual([]);
  });

  it('starts in production on the embedded store when that is allowed, without development tools', async () => {
    const service = suite.start(PRODUCTION);
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
