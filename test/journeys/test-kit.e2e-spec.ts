import { once } from 'node:events';
import { request, type Server } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Injectable, Module, Scope } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OnCleanSlate } from '../../src/common/clean-slate/index.js';
import { MailInbox } from '../../src/mail/index.js';
import { SecurityEvents } from '../../src/security/index.js';
import { LIMIT_NAMESPACE_HEADER } from '../../src/dev-tools/index.js';
import { usesRedis } from '../support/backends.js';
import { API_KEY, type ApiResponse, startTestApp, type TestApp } from '../support/index.js';

/** What a team that extends the service may keep in the process. */
@Injectable()
class Visits implements OnCleanSlate {
  count = 0;
  whileForgetting: () => Promise<unknown> = () => Promise.resolve();

  async onCleanSlate(): Promise<void> {
    this.count = 0;
    await this.whileForgetting();
  }
}

/** What is made anew for each request has nothing to forget. */
@Injectable({ scope: Scope.REQUEST })
class Visit implements OnCleanSlate {
  private readonly seen: string[] = [];

  onCleanSlate(): void {
    this.seen.length = 0;
  }
}

@Module({ providers: [Visits, Visit] })
class VisitsModule {}

interface Listing {
  data: { routes: { method: string; path: string }[] };
}

/** `fetch` would not let a test choose its `Host`. */
function statusOf({ url }: TestApp, method: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    request({ host: '127.0.0.1', port: new URL(url).port, path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).end();
  });
}

describe('The test kit', () => {
  let test: TestApp;
  let routes: Listing['data']['routes'];
  beforeAll(async () => {
    test = await startTestApp({ extensions: [VisitsModule] });
    routes = ((await test.client().get('/dev')).body as Listing).data.routes;
    expect(routes.length).toBeGreaterThan(8);
  });
  afterAll(() => test.close());

  it('lists its own routes, by path', () => {
    const paths = routes.map(({ path }) => path);
    expect(paths).toEqual(paths.toSorted());
    expect(paths[0]).toBe('/dev');
    expect(paths.filter((path) => !/^\/dev(\/[a-z]+)*$/.test(path))).toEqual([]);
  });

  it('is served under names of this machine alone', async () => {
    const { port } = new URL(test.url);
    const statusUnder = (host: string, method: string, path: string) => statusOf(test, method, path, { host });
    for (const { method, path } of routes) {
      for (const name of ['evil.example', 'localhost.evil.example', 'evillocalhost', `evil.example:${port}`])
        expect(await statusUnder(name, method, path), `${method} ${path} ${name}`).toBe(404);
      for (const name of [
        'localhost',
        `LocalHost:${port}`,
        'localhost.',
        'localhost:',
        `localhost:${port}`,
        `127.0.0.1:${port}`,
        `[::1]:${port}`,
        'accounts.localhost',
      ])
        expect(await statusUnder(name, method, path), `${method} ${path} ${name}`).not.toBe(404);
    }
  });

  it('says that an address cannot be one, such as one whose plus sign became a space', async () => {
    for (const path of ['/dev/inbox?to=ada+x@example.com', '/dev/inbox/next?to=ada', '/dev/inbox?to=']) {
      const { status, text } = await test.client().get(path);
      expect([path, status]).toEqual([path, 422]);
      expect(text).toContain('%2B');
    }
    expect((await test.client().get('/dev/inbox?to=ada%2Bx@example.com')).status).toBe(200);
  });

  it('is not reached behind a proxy by a page that forwards a name of this machine', async () => {
    const behindProxy = await startTestApp({ env: { TRUST_PROXY: '127.0.0.1' } });
    const statusWith = (method: string, path: string, host: string, forwarded: string) =>
      statusOf(behindProxy, method, path, { host, 'x-forwarded-host': forwarded });
    for (const { method, path } of routes) {
      expect(await statusWith(method, path, 'evil.example', 'localhost'), `${method} ${path}`).toBe(404);
      expect(await statusWith(method, path, 'localhost', 'evil.example'), `${method} ${path}`).toBe(404);
      expect(await statusWith(method, path, 'localhost', 'localhost'), `${method} ${path}`).not.toBe(404);
    }
    await behindProxy.close();
  });

  it('lets a page of another origin change nothing: whatever does needs a preflight', async () => {
    const safelisted = ['GET', 'HEAD', 'POST'];
    const changing = routes.filter(({ method }) => method !== 'GET');
    expect(changing.filter(({ method }) => safelisted.includes(method))).toEqual([]);
    for (const { method, path } of changing) {
      const { headers } = await test.client().request(path, {
        method: 'OPTIONS',
        headers: { origin: 'https://evil.example', 'access-control-request-method': method },
      });
      expect(headers.get('access-control-allow-origin'), path).toBeNull();
    }
  });

  it('lets the front end name its namespace, and in production does not', async () => {
    const allowedBy = async (service: TestApp) => {
      const { headers } = await service.client().request('/auth/login', {
        method: 'OPTIONS',
        headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
      });
      return headers.get('access-control-allow-headers');
    };
    expect(await allowedBy(test)).toContain('x-test-limit-namespace');
    const production = await startTestApp({ adjust: (config) => ({ ...config, isProduction: true }) });
    expect(await allowedBy(production)).not.toContain('x-test-limit-namespace');
    for (const { method, path } of routes)
      expect((await production.client().request(path, { method })).status, path).toBe(404);
    await production.close();
  });

  it('empties the collections of every module, and asks those that remember things elsewhere to forget', async () => {
    await test.personas.user();
    const visits = test.app.get(Visits, { strict: false });
    visits.count = 1;
    expect((await test.client().delete('/dev/state')).status).toBe(200);
    expect(visits.count).toBe(0);
    for (const { name } of await test.database.listCollections())
      expect(await test.database.collection(name).countDocuments(), name).toBe(0);
  });

  it('lets nobody in again who asks while the slate is made clean', async () => {
    const { token } = await test.personas.user();
    const profile = () => test.client().get('/api/profile', { apiKey: API_KEY, bearer: token });
    const visits = test.app.get(Visits, { strict: false });
    const meanwhile: number[] = [];
    visits.whileForgetting = async () => {
      await setTimeout(50);
      meanwhile.push((await profile()).status);
    };
    expect((await test.client().delete('/dev/state')).status).toBe(200);
    visits.whileForgetting = () => Promise.resolve();
    expect([...meanwhile, (await profile()).status]).toEqual([401, 401]);
  });

  it('forgets issued API keys, used ones too', async () => {
    const admin = await test.personas.admin();
    const { key } = (await admin.api.post('/api/api-keys', { name: 'used' })).body.data;
    const ask = async (bearer: string) => (await test.client().get('/api/profile', { apiKey: key, bearer })).body.code;
    expect(await ask(admin.token)).toBeUndefined();
    expect((await test.client().delete('/dev/state')).status).toBe(200);
    const { token } = await test.personas.user();
    expect(await ask(token)).toBe('invalid_api_key');
  });

  it('says that the slate is not clean when somebody could not forget', async () => {
    const visits = test.app.get(Visits, { strict: false });
    visits.whileForgetting = () => Promise.reject(new Error('a fault of theirs'));
    expect((await test.client().delete('/dev/state')).status).toBe(500);
    visits.whileForgetting = () => Promise.resolve();
    expect((await test.client().delete('/dev/state')).status).toBe(200);
  });

  it('counts limits of every kind apart by names of up to 64 letters, digits, dots, hyphens and underscores', async () => {
    const client = test.client();
    const under = (namespace: string) => ({ headers: { 'x-test-limit-namespace': namespace } });
    const remaining = ({ headers }: ApiResponse) => Number(/r=(\d+)/.exec(headers.get('ratelimit') as string)?.[1]);
    const { auth, general } = test.config.limits;
    for (const namespace of ['a', 'a.b-c_9', 'n'.repeat(64)]) {
      for (const less of [1, 2]) {
        expect(remaining(await client.post('/auth/login', {}, under(namespace)))).toBe(auth.quota - less);
        expect(remaining(await client.get('/api/profile', under(namespace)))).toBe(general.quota - less);
      }
    }
    expect(remaining(await client.post('/auth/login', {})), 'and apart from who names none').toBe(auth.quota - 1);
    for (const namespace of ['', 'a b', 'a:b', 'é', 'a,b', 'n'.repeat(65)]) {
      const { status, body } = await client.post('/auth/login', {}, under(namespace));
      expect([status, body.errors], namespace).toEqual([
        422,
        [expect.objectContaining({ field: LIMIT_NAMESPACE_HEADER })],
      ]);
    }
  });

  it('shortens the windows of limits once for each move of the clock, and never lengthens them', async () => {
    const headers = { [LIMIT_NAMESPACE_HEADER]: 'travellers' };
    const client = test.client();
    const windowLeft = async () => {
      const answer = await client.post('/auth/login', {}, { headers });
      return Number(/t=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
    };
    expect(await windowLeft()).toBe(900);
    const advance = () => test.client().patch('/dev/clock', { advance_seconds: 300 });
    await Promise.all([advance(), advance()]);
    const left = await windowLeft();
    expect(left).toBeLessThanOrEqual(300);
    expect(left).toBeGreaterThan(290);
    await test.client().delete('/dev/clock');
    if (usesRedis) expect(await windowLeft()).toBeLessThanOrEqual(300);
    await test.client().delete('/dev/state');
  });

  it('lets nothing arrive that was being stored when the slate was made clean', async () => {
    const events = test.app.get(SecurityEvents, { strict: false });
    const stored = test.database.collection('security_events');
    for (let round = 0; round < 40; round += 1) {
      for (let event = 0; event < 500; event += 1) events.record({ kind: 'authn_login_fail', outcome: 'failure' });
      const wiping = test.client().delete('/dev/state');
      await setTimeout(round / 4);
      const storing = events.flush();
      expect((await wiping).status).toBe(200);
      await storing;
      expect(await stored.countDocuments(), `round ${round}`).toBe(0);
    }
  });

  it('lets no mail arrive that was being sent when the slate was made clean', async () => {
    const inbox = test.app.get(MailInbox, { strict: false });
    const receive = inbox.receive.bind(inbox);
    let deliver!: () => void;
    const delivery = new Promise<void>((resolve) => (deliver = resolve));
    let received: Promise<void> | undefined;
    inbox.receive = (mail) => (received = delivery.then(() => receive(mail)));
    await test.personas.visitor();
    await expect.poll(() => received !== undefined, { timeout: 5_000 }).toBe(true);
    const wiping = test.client().delete('/dev/state');
    await Promise.race([wiping, setTimeout(200)]);
    deliver();
    await received;
    expect((await wiping).status).toBe(200);
    inbox.receive = receive;
    for (const name of ['mails', 'dev_inbox']) expect(await test.database.collection(name).countDocuments()).toBe(0);
  });

  it('waits for a mail no longer than it is told, though memory is cleared up meanwhile', async () => {
    setFlagsFromString('--expose-gc');
    const clearUp = runInNewContext('gc') as () => void;
    const clearing = setInterval(clearUp, 100);
    const started = Date.now();
    const { status } = await test.client().get('/dev/inbox/next?to=nobody@example.com&timeout_seconds=1');
    clearInterval(clearing);
    expect(status).toBe(404);
    expect(Date.now() - started).toBeGreaterThanOrEqual(1_000);
  });

  it('lets a service that stops wait for no mail', async () => {
    const stopping = await startTestApp();
    const arrived = once(stopping.app.getHttpServer() as Server, 'request');
    const waiting = stopping.client().get('/dev/inbox/next?to=nobody@example.com&timeout_seconds=25');
    await arrived;
    const started = Date.now();
    const [answer] = await Promise.all([waiting, stopping.close()]);
    expect([answer.status, answer.body.code]).toEqual([503, 'service_unavailable']);
    expect(Date.now() - started, 'it waits 25 seconds otherwise').toBeLessThan(15_000);
  });
});
