import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { nextAddress } from '../support/api-client.js';
import { HOUR, SECOND } from '../support/manual-clock.js';
import { PASSWORD, type Visitor } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';
import { FIREFOX, IPHONE } from '../support/user-agents.js';

const ROOT = new URL('../../', import.meta.url).pathname;

interface Tokens {
  token: string;
  refresh_token: string;
  expires_at: number;
}
interface UserSession {
  tokens: Tokens | null;
  // What its methods take and yield is tested with the compiler elsewhere.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  accounts: Record<'login' | 'logout' | 'getProfile', (input?: object) => Promise<any>>;
}
interface UserSessions {
  caller: { run<T>(request: { ip: string; userAgent: string }, work: () => T): T };
  sessionOf(tokens: Tokens | null): UserSession;
}

describe('A backend for a front end, as docs/gateways.md has it', () => {
  let test: TestApp;
  let workshop: string;
  let code: string;
  let servers: UserSessions[];
  let refreshes: number;
  beforeAll(async () => {
    test = await startTestApp();
    workshop = mkdtempSync(join(tmpdir(), 'bff-'));
    execFileSync(process.execPath, [join(ROOT, 'src/client/build.mjs'), join(workshop, 'node_modules/account-client')]);
    const guide = readFileSync(join(ROOT, 'docs/gateways.md'), 'utf8');
    code = /`user-sessions\.js`[^]+?```js\n([^]+?)```/.exec(guide)?.[1] as string;
    vi.stubEnv('ACCOUNTS_URL', test.url);
    vi.stubEnv('ACCOUNTS_API_KEY', API_KEY);
    servers = await start('one', 'two');
  });

  afterAll(async () => {
    vi.unstubAllEnvs();
    await test.close();
    rmSync(workshop, { recursive: true, force: true });
  });
  beforeEach(() => {
    refreshes = 0;
    const send = fetch;
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
      if (url.endsWith('/auth/refresh-token')) refreshes += 1;
      return send(url, init);
    });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  /** As many processes would be. */
  const start = (...names: string[]): Promise<UserSessions[]> =>
    Promise.all(
      names.map((name) => {
        const file = join(workshop, `${name}.mjs`);
        writeFileSync(file, code);
        return import(pathToFileURL(file).href) as Promise<UserSessions>;
      }),
    );

  /** A browser: its address, its program, and the cookie that it got last. */
  class Browser {
    cookie: string | null = null;
    readonly ip = nextAddress();

    constructor(
      private readonly visitor: Visitor,
      private readonly userAgent = FIREFOX,
    ) {}

    async ask<T>(server: UserSessions, work: (accounts: UserSession['accounts']) => Promise<T>): Promise<T> {
      const brought = this.cookie;
      const session = server.sessionOf(brought === null ? null : (JSON.parse(brought) as Tokens));
      try {
        return await server.caller.run({ ip: this.ip, userAgent: this.userAgent }, () => work(session.accounts));
      } finally {
        const has = session.tokens && JSON.stringify(session.tokens);
        if (has !== brought) this.cookie = has;
      }
    }

    login(server: UserSessions): Promise<void> {
      this.cookie = null;
      return this.ask(server, (accounts) =>
        accounts.login({ login: this.visitor.registration.username, password: PASSWORD }),
      );
    }

    profile(server: UserSessions): Promise<{ username: string }> {
      return this.ask(server, (accounts) => accounts.getProfile());
    }
  }

  /** What a cookie holds once its access token is about to expire, by the clock of this machine too. */
  const expire = (browser: Browser) => {
    const tokens = JSON.parse(browser.cookie as string) as Tokens;
    browser.cookie = JSON.stringify({ ...tokens, expires_at: Date.now() });
  };

  it('keeps its users apart, and each has limits of their own', async () => {
    const browsers = [];
    for (let user = 0; user < 8; user += 1) {
      const visitor = await test.personas.confirmed();
      const browser = new Browser(visitor);
      await browser.login(servers[0] as UserSessions);
      browsers.push({ browser, username: visitor.registration.username });
    }
    for (const server of servers) {
      const names = await Promise.all(browsers.map(async ({ browser }) => (await browser.profile(server)).username));
      expect(names).toEqual(browsers.map(({ username }) => username));
    }
  });

  it('lets nobody log in on top of a session: its old cookie would lead to the new one', async () => {
    const [server] = servers as [UserSessions];
    const [thief, victim] = [new Browser(await test.personas.confirmed()), await test.personas.confirmed()];
    await thief.login(server);
    const planted = thief.cookie;
    const credentials = { login: victim.registration.username, password: PASSWORD };
    const refusal = 'accounts.login is not a function';
    await expect(thief.ask(server, async (accounts) => accounts.login(credentials))).rejects.toThrow(refusal);
    expect(thief.cookie).toBe(planted);
    await thief.ask(server, (accounts) => accounts.logout());
    thief.cookie = planted;
    await expect(thief.ask(server, async (accounts) => accounts.login(credentials))).rejects.toThrow(refusal);
    expect(thief.cookie).toBeNull();
  });

  it('refreshes once for all requests of a session', async () => {
    const [server] = servers as [UserSessions];
    const browser = new Browser(await test.personas.confirmed());
    await browser.login(server);
    await test.advance(HOUR);
    // As if it came to a server that has started meanwhile.
    const other = servers[1] as UserSessions;
    expire(browser);
    const profiles = await Promise.all(Array.from({ length: 20 }, () => browser.profile(other)));
    expect(profiles).toHaveLength(20);
    expect(refreshes).toBe(1);
  });

  it('shares a session between servers that refresh it at the same time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const browser = new Browser(await test.personas.confirmed());
      await browser.login(servers[round % 2] as UserSessions);
      await test.advance(HOUR);
      expire(browser);
      await Promise.all(servers.map((server) => browser.profile(server)));
      await test.advance(30 * SECOND);
      for (const server of servers) await browser.profile(server);
    }
  });

  it('knows a cookie for a minute after its refresh, however long it had been in use: the next may be lost', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval'] });
    const [server] = await start('clocked');
    const browser = new Browser(await test.personas.confirmed());
    await browser.login(server as UserSessions);
    // Its clock alone: the access token expires by it, and the service sees the refresh a moment after the login.
    vi.advanceTimersByTime(HOUR - 5 * SECOND);
    const old = browser.cookie;
    await browser.profile(server as UserSessions);
    expect([refreshes, browser.cookie === old]).toEqual([1, false]);
    const next = browser.cookie;
    await test.advance(30 * SECOND);
    vi.advanceTimersByTime(55 * SECOND);
    browser.cookie = old;
    await browser.profile(server as UserSessions);
    expect([refreshes, browser.cookie]).toEqual([1, next]);
    vi.advanceTimersByTime(70 * SECOND);
    // By then it looks like a thief's.
    browser.cookie = old;
    await expect(browser.profile(server as UserSessions)).rejects.toMatchObject({ code: 'refresh_token_reused' });
  });

  it('tells the service by which program somebody logs in', async () => {
    const visitor = await test.personas.confirmed();
    await new Browser(visitor).login(servers[0] as UserSessions);
    await new Browser(visitor, IPHONE).login(servers[0] as UserSessions);
    const { text } = await test.inbox.waitFor(visitor.registration.email, 'new-device');
    expect(text).toContain('Mobile Safari on iOS');
  });

  it('has no cookie left for a session that has ended, here or elsewhere', async () => {
    const [one, two] = servers as [UserSessions, UserSessions];
    const visitor = await test.personas.confirmed();
    const browser = new Browser(visitor);
    await browser.login(one);
    const taken = browser.cookie;
    await browser.ask(one, (accounts) => accounts.logout());
    expect(browser.cookie).toBeNull();
    for (const [server, status] of [
      [one, 0],
      [two, 401],
    ] as const) {
      browser.cookie = taken;
      await expect(browser.profile(server)).rejects.toMatchObject({ status });
      expect(browser.cookie).toBeNull();
    }
  });
});
