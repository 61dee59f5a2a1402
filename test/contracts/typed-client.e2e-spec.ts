import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ClientOptions } from '../../src/client/account-client.js';
import { HOUR, SECOND } from '../support/manual-clock.js';
import { nextAddress } from '../support/api-client.js';
import { PASSWORD, type Visitor } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const ROOT = new URL('../../', import.meta.url).pathname;
const ROUNDS = 20;

// What the methods take and yield is tested with the compiler; here they are called.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Client = Record<
  'login' | 'logout' | 'getProfile' | 'listLoginHistory' | 'endUserSession' | 'itsNotMe' | 'verifyOtp' | 'accessToken',
  (input?: object) => Promise<any>
> & {
  isLoggedIn(): boolean;
};
interface Package {
  createAccountClient(options: ClientOptions): Client;
  memoryStore(): NonNullable<ClientOptions['store']>;
  webStore(storage: object, key?: string): NonNullable<ClientOptions['store']>;
}

describe('The typed client', () => {
  let test: TestApp;
  let workshop: string;
  let client: Package;
  let visitor: Visitor;
  let ends: string[];
  beforeAll(async () => {
    // Its own limits would be met by the rounds of a test; they are tested elsewhere.
    test = await startTestApp({ env: { AUTH_RATE_LIMIT: '1000000', RATE_LIMIT: '1000000' } });
    workshop = mkdtempSync(join(tmpdir(), 'typed-client-'));
    execFileSync(process.execPath, [join(ROOT, 'src/client/build.mjs'), join(workshop, 'client')]);
    client = (await import(pathToFileURL(join(workshop, 'client/index.js')).href)) as Package;
  });
  afterAll(async () => {
    await test.close();
    rmSync(workshop, { recursive: true, force: true });
  });
  beforeEach(async () => {
    visitor = await test.personas.confirmed();
    ends = [];
  });

  it('has no method for files, streams and uploads', () => {
    const document = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as {
      paths: Record<string, Record<string, object>>;
    };
    const profile = document.paths['/api/profile']?.['get'] as { responses: object };
    const files = { content: { 'text/csv': { schema: { type: 'string', format: 'binary' } } } };
    const added = (operationId: string, change: object) => ({ ...profile, operationId, ...change });
    document.paths['/api/notes'] = {
      get: added('listNotes', {}),
      post: added('sendNotes', { requestBody: files }),
      delete: added('deleteNotes', { responses: { 204: { description: 'Gone', content: {} } } }),
      put: added('exportNotes', { responses: { ...profile.responses, 200: { description: 'Notes', ...files } } }),
      patch: added('takeHook', { parameters: [{ name: 'x-signature', in: 'header', required: true, schema: {} }] }),
    };
    const source = join(workshop, 'openapi.json');
    writeFileSync(source, JSON.stringify(document));
    const build = spawnSync(process.execPath, [join(ROOT, 'src/client/build.mjs'), join(workshop, 'grown'), source]);
    expect([build.status, String(build.stderr)]).toEqual([
      0,
      'The typed client has no takeHook: it sends no header x-signature\n',
    ]);
    for (const file of ['index.js', 'schema.d.ts']) {
      const text = readFileSync(join(workshop, 'grown', file), 'utf8');
      const ids = ['getProfile', 'listNotes', 'deleteNotes', 'sendNotes', 'exportNotes', 'takeHook'];
      expect(ids.filter((id) => text.includes(id))).toEqual(['getProfile', 'listNotes', 'deleteNotes']);
    }
  });

  it('is not made of an operation that it could not call', () => {
    const document = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as {
      paths: Record<string, Record<string, { operationId: string; parameters?: object[] }>>;
    };
    const operation = document.paths['/api/profile']?.['patch'] as { operationId: string; parameters?: object[] };
    const schema = { type: 'string' };
    for (const [change, reason] of [
      [{ parameters: [{ name: 'first_name', in: 'query', schema }] }, 'may not share the field first_name'],
      [{ operationId: 'accessToken' }, 'cannot call accessToken: the client has a method of that name'],
    ] as const) {
      document.paths['/api/profile'] = { patch: { ...operation, ...change } as typeof operation };
      const source = join(workshop, 'shared.json');
      writeFileSync(source, JSON.stringify(document));
      const build = spawnSync(process.execPath, [join(ROOT, 'src/client/build.mjs'), join(workshop, 'shared'), source]);
      expect([build.status, String(build.stderr)]).toEqual([1, expect.stringContaining(reason)]);
    }
  });

  it('takes no folder with something else in it, and again the one that it has made', () => {
    const build = (name: string) =>
      spawnSync(process.execPath, [join(ROOT, 'src/client/build.mjs'), join(workshop, name)]);
    const sources = join(workshop, 'sources');
    mkdirSync(sources);
    writeFileSync(join(sources, 'precious.ts'), 'precious');
    const { status, stderr } = build('sources');
    expect([status, String(stderr)]).toEqual([1, expect.stringContaining('has files that are no typed client')]);
    expect(readFileSync(join(sources, 'precious.ts'), 'utf8')).toBe('precious');
    expect(build('client').status).toBe(0);
  });

  interface World {
    store?: ClientOptions['store'];
    /** Comes between the client and the service. */
    around?: (path: string, send: () => Promise<Response>) => Promise<Response>;
  }

  /** A client of the package, and the paths that it asked for. */
  function newClient({ store, around }: World = {}) {
    const asked: string[] = [];
    const address = nextAddress();
    const api = client.createAccountClient({
      baseUrl: test.url,
      apiKey: API_KEY,
      store,
      onSessionEnd: (code) => ends.push(code),
      fetch: (input, init) => {
        const path = new URL(input as string).pathname;
        asked.push(path);
        const headers = { ...(init?.headers as Record<string, string>), 'x-forwarded-for': address };
        const send = () => fetch(input, { ...init, headers });
        return around ? around(path, send) : send();
      },
    });
    const refreshes = () => asked.filter((path) => path === '/auth/refresh-token').length;
    return { api, asked, refreshes };
  }

  const login = (api: Client) => api.login({ login: visitor.registration.username, password: PASSWORD });

  it('weighs some 5 kB and has no dependency', () => {
    const { paths } = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    // With the service's 31 operations that is 5,048 bytes; each of a module of one's own adds a line.
    const lines = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`.length + 14),
    );
    const bound = lines.reduce((sum, bytes) => sum + bytes, 3_500);
    expect(statSync(join(workshop, 'client/index.js')).size).toBeLessThanOrEqual(bound);
    const description = JSON.parse(readFileSync(join(workshop, 'client/package.json'), 'utf8'));
    expect(description).not.toHaveProperty('dependencies');
  });

  it('has types by which a strict program compiles, and does what they say', async () => {
    const project = join(workshop, 'project');
    mkdirSync(project);
    cpSync(join(ROOT, 'test/contracts/typed-client/program.ts'), join(project, 'program.ts'));
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--lib', 'es2022,dom'];
    execFileSync(process.execPath, [tsc, ...options, '--target', 'es2022', '--module', 'nodenext', 'program.ts'], {
      cwd: project,
    });
    const { journey } = (await import(pathToFileURL(join(project, 'program.js')).href)) as {
      journey(...input: string[]): Promise<string[]>;
    };
    const { username } = visitor.registration;
    const told = await journey(test.url, API_KEY, username, PASSWORD);
    expect(told).toEqual([username, 'null', '1', '1', 'not_found', 'role_required', 'role_required', 'undefined']);
  });

  it('refreshes once for sixteen requests that find the token expired', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { api, refreshes } = newClient();
      await login(api);
      test.clock.advance(HOUR + SECOND);
      const profiles = await Promise.all(Array.from({ length: 16 }, () => api.getProfile()));
      expect(new Set(profiles.map(({ email }) => email))).toEqual(new Set([visitor.registration.email]));
      expect(refreshes()).toBe(1);
    }
    expect(ends).toEqual([]);
  });

  it('refreshes before the token expires, by its own clock', async () => {
    const store = client.memoryStore();
    const { api, refreshes } = newClient({ store });
    await login(api);
    const session = store.read();
    store.write(session && { ...session, expires_at: Date.now() + 5_000 });
    await api.getProfile();
    expect(refreshes()).toBe(1);
    expect(await api.accessToken()).not.toBe(session?.token);
  });

  it('goes on in both of two tabs that refresh at the same moment, and in one that slept', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const storage = new Map<string, string>();
      const store = () =>
        client.webStore({
          getItem: (key: string) => storage.get(key) ?? null,
          setItem: (key: string, value: string) => storage.set(key, value),
          removeItem: (key: string) => storage.delete(key),
        });
      const [one, other] = [newClient({ store: store() }), newClient({ store: store() })];
      await login(one.api);
      test.clock.advance(HOUR + SECOND);
      await Promise.all([one.api.getProfile(), other.api.getProfile()]);
      test.clock.advance(HOUR + SECOND);
      await one.api.getProfile();
      // Beyond the grace: the older refresh token would end the session now.
      test.clock.advance(11 * SECOND);
      await other.api.getProfile();
    }
    expect(ends).toEqual([]);
  });

  it('survives answers to its refresh that are lost', async () => {
    let isLossy = true;
    const { api, refreshes } = newClient({
      around: async (path, send) => {
        const response = await send();
        if (path !== '/auth/refresh-token' || !isLossy) return response;
        isLossy = refreshes() < 2;
        throw new TypeError('fetch failed');
      },
    });
    await login(api);
    test.clock.advance(HOUR + SECOND);
    expect((await api.getProfile()).email).toBe(visitor.registration.email);
    expect(refreshes()).toBe(3);
    expect(ends).toEqual([]);
  });

  it('keeps the session while the service cannot be reached, or has no time', async () => {
    let failure: (() => Promise<Response>) | undefined;
    const { api } = newClient({ around: (path, send) => (path.endsWith('token') && failure ? failure() : send()) });
    await login(api);
    test.clock.advance(HOUR + SECOND);
    failure = () => Promise.reject(new TypeError('fetch failed'));
    await expect(api.getProfile()).rejects.toThrow('fetch failed');
    const busy = { status_code: 503, status: 'ERROR', code: 'service_unavailable', message: 'Later', retry_after: 5 };
    failure = () => Promise.resolve(Response.json(busy, { status: 503 }));
    await expect(api.getProfile()).rejects.toMatchObject({ status: 503, code: 'service_unavailable', retryAfter: 5 });
    failure = undefined;
    expect((await api.getProfile()).email).toBe(visitor.registration.email);
    expect(ends).toEqual([]);
  });

  it('tells once that the session is over, and why', async () => {
    const { api } = newClient();
    await login(api);
    const other = newClient();
    await login(other.api);
    await other.api.itsNotMe();
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => api.getProfile()));
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true);
    expect(ends).toEqual(['reported_not_me', 'reported_not_me']);
    expect(api.isLoggedIn()).toBe(false);
    await expect(api.getProfile()).rejects.toMatchObject({ status: 0, code: 'authentication_required' });
  });

  it('does not come back to life by a refresh that a logout overtakes', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { api } = newClient();
      await login(api);
      test.clock.advance(HOUR + SECOND);
      await Promise.allSettled([api.getProfile(), api.logout(), api.getProfile()]);
      expect(api.isLoggedIn()).toBe(false);
      await expect(api.getProfile()).rejects.toMatchObject({ code: 'authentication_required' });
    }
  });

  it.each([
    { what: 'refreshes the session', meanwhile: (tab: Client) => tab.getProfile(), isLoggedIn: false },
    { what: 'logs in anew', meanwhile: login, isLoggedIn: true },
  ])('logs out of its own session and no other, though another tab $what meanwhile', async (situation) => {
    const store = client.memoryStore();
    const tab = newClient({ store });
    const { api } = newClient({
      store,
      around: async (path, send) => {
        if (path !== '/auth/logout') return send();
        const session = store.read();
        store.write(session && { ...session, expires_at: 0 });
        await situation.meanwhile(tab.api);
        return send();
      },
    });
    await login(api);
    await api.logout();
    expect(api.isLoggedIn()).toBe(situation.isLoggedIn);
    expect(ends).toEqual(['logged_out']);
    const profile = tab.api.getProfile();
    if (situation.isLoggedIn) expect((await profile).email).toBe(visitor.registration.email);
    else await expect(profile).rejects.toMatchObject({ status: 0, code: 'authentication_required' });
  });

  it('logs out of a session that is over already', async () => {
    const { api } = newClient();
    await login(api);
    const other = newClient();
    await login(other.api);
    await other.api.logout({ all_sessions: true });
    await expect(api.logout()).resolves.toBeUndefined();
    await expect(api.logout()).resolves.toBeUndefined();
    expect(api.isLoggedIn()).toBe(false);
  });

  it('calls no other operation where a parameter of the path is made of dots', async () => {
    const { api } = newClient();
    await login(api);
    const [own] = (await api.listLoginHistory()).content;
    const refused = { status: 400, code: 'malformed_request' };
    await expect(api.endUserSession({ id: '..', session: own._id })).rejects.toMatchObject(refused);
    expect(await api.getProfile()).toHaveProperty('username');
  });

  it('hands on what a refusal tells', async () => {
    const { api } = newClient();
    await expect(api.login({ login: 'nobody_at_all', password: 'Wrong-pass1' })).rejects.toMatchObject({
      name: 'AccountError',
      status: 401,
      code: 'invalid_credentials',
      attemptsRemaining: expect.any(Number),
      requestId: expect.any(String),
    });
    await expect(api.verifyOtp({ email: 'x', otp: '1' })).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'email' }, { field: 'otp' }],
    });
  });
});
