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

/** Each test has two of them, as two processes would be. */
describe('A backend for a front end, as docs/gateways.md has it', () => {
  let test: TestApp;
  let workshop: string;
  let servers: UserSessions[];
  let refreshes: number;
  beforeAll(async () => {
    test = await startTestApp();
    workshop = mkdtempSync(join(tmpdir(), 'bff-'));
    execFileSync(process.execPath, [join(ROOT, 'src/client/build.mjs'), join(workshop, 'node_modules/account-client')]);
    const guide = readFileSync(join(ROOT, 'docs/gateways.md'), 'utf8');
    const code = /`user-sessions\.js`[^]+?```js\n([^]+?)```/.exec(guide)?.[1] as string;
    for (const name of ['one', 'two']) writeFileSync(join(workshop, `${name}.mjs`), code);
    vi.stubEnv('ACCOUNTS_URL', test.url);
    vi.stubEnv('ACCOUNTS_API_KEY', API_KEY);
    servers = await Promise.all(
      ['one', 'two'].map((name) => import(pathToFileURL(join(workshop, `${name}.mjs`)).href) as Promise<UserSessions>),
    );
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
  afterEach(() => vi.unstubAllGlobals());

  /** A browser: its address, its program, and the cookie that it got last. */
  class Browser {
    cookie: string | null = null;
    readonly ip = nextAddress();

    constructor(
      private readonly visitor: Visitor,
      private readonly userAgent = FIREFOX,
    ) {}

    /** @param keeps whether the answer's cookie arrives */
    async ask<T>(
      server: UserSessions,
      work: (accounts: UserSession['accounts']) => Promise<T>,
      keeps = true,
    ): Promise<T> {
      const session = server.sessionOf(this.cookie === null ? null : (JSON.parse(this.cookie) as Tokens));
      try {
        return await server.caller.run({ ip: this.ip, userAgent: this.userAgent }, () => work(session.accounts));
      } finally {
        if (keeps) this.cookie = session.tokens && JSON.stringify(session.tokens);
      }
    }

    login(server: UserSessions): Promise<void> {
      this.cookie = null;
      return this.ask(server, (accounts) =>
        accounts.login({ login: this.visitor.registration.username, password: PASSWORD }),
      );
    }

    profile(server: UserSessions, keeps = true): Promise<{ username: string }> {
      return this.ask(server, (accounts) => accounts.getProfile(), keeps);
    }
  }

  /** What a cookie holds once its access token is about to expire, by the clock of this machine too. */
  const expire = (browser: Browser) => {
    const tokens = JSON.parse(browser.cookie as string) as Tokens;
    browser.cookie = JSON.stringify({ ...tokens, expires_at: Date.now() });
  };

  it('keeps its users apart, and each has limits of their own', async () => {
    const [server] = servers as [UserSessions];
    const browsers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const visitor = await test.personas.confirmed();
        return { browser: new Browser(visitor), username: visitor.registration.username };
      }),
    );
    await Promise.all(browsers.map(({ browser }) => browser.login(server)));
    const names = await Promise.all(browsers.map(async ({ browser }) => (await browser.profile(server)).username));
    expect(names).toEqual(browsers.map(({ username }) => username));
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

  it('shares a session between servers that refresh it at the same time, or one of which lost its answer', async () => {
    for (let round = 0; round < 20; round += 1) {
      const browser = new Browser(await test.personas.confirmed());
      await browser.login(servers[round % 2] as UserSessions);
      await test.advance(HOUR);
      expire(browser);
      const old = browser.cookie;
      await Promise.all(servers.map((server) => browser.profile(server, round % 3 > 0)));
      // The page was closed before the cookie came. It brings the one before, when the service repeats no answer any more.
      await test.advance(30 * SECOND);
      browser.cookie = old;
      await browser.profile(servers[1] as UserSessions);
      expect(browser.cookie).not.toBe(old);
    }
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
