import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { redisUrl } from '../support/backends.js';
import { OutsideSuite } from '../support/outside-suite.js';
import { newRegistration, PASSWORD, type Registration } from '../support/personas.js';
import { ServiceProcess } from '../support/service-process.js';

const HOUR_SECONDS = 3_600;

const url = redisUrl();
const prefix = `test_${randomBytes(6).toString('hex')}:`;
const stores: [string, Record<string, string>][] = [
  ['in one process', {}],
  ...(url ? [['on Redis', { REDIS_URL: url, REDIS_KEY_PREFIX: prefix }] as [string, Record<string, string>]] : []),
];

describe.each(stores)('A service that is tested over HTTP, %s', (_name, env) => {
  let directory: string;
  let service: ServiceProcess;
  let suite: OutsideSuite;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'accounts-'));
    service = new ServiceProcess({ DATA_DIR: directory, LOG_LEVEL: 'error', ...env });
    const api = new ApiClient(await service.started(), '127.0.0.1');
    suite = new OutsideSuite(api, /API key +(\S+)/.exec(service.output)?.[1] as string);
  });
  afterEach(async () => {
    const { status, text } = await suite.api.delete('/dev/state');
    expect(status, text).toBe(200);
  });
  afterAll(async () => {
    await service.kill('SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  });

  it('lists its kit, and leaves it out of the document for clients', async () => {
    const { body } = await suite.api.get('/dev');
    for (const route of [
      'GET /dev/inbox/next',
      'PATCH /dev/roles',
      'PATCH /dev/clock',
      'DELETE /dev/clock',
      'PATCH /dev/faults',
      'DELETE /dev/state',
    ]) {
      expect(body.data.routes.map(({ method, path }: Record<string, string>) => `${method} ${path}`)).toContain(route);
    }
    expect(body.data.headers).toMatchObject([{ name: 'x-test-limit-namespace' }]);
    expect((await suite.api.get('/openapi.json')).text).not.toMatch(/\/dev|limit-namespace/);
  });

  it('takes somebody from registration to a refreshed session', async () => {
    const registration = await suite.register();
    const { otp } = await suite.nextMail(registration.email, { kind: 'email-verification' });
    expect(otp).toMatch(/^\d{6}$/);
    expect((await suite.verify(registration, otp)).status).toBe(200);
    const user = { ...registration, ...(await suite.login(registration)).body.data };
    expect((await suite.profile(user)).status).toBe(200);

    await suite.move({ advance_seconds: HOUR_SECONDS + 1 });
    expect((await suite.profile(user)).body.code).toBe('token_expired');
    const refreshed = await suite.refresh(user);
    expect(refreshed.status).toBe(200);
    expect((await suite.profile(refreshed.body.data)).status).toBe(200);
  });

  describe('mails', () => {
    it('are waited for, and count when they came before anybody asked', async () => {
      const registration = newRegistration();
      const waiting = suite.nextMail(registration.email, { timeout_seconds: '25' });
      expect((await suite.api.post('/auth/register', registration)).status).toBe(201);
      const first = await waiting;
      expect(await suite.nextMail(registration.email, { timeout_seconds: '0' })).toEqual(first);
      expect(first).toMatchObject({ kind: 'email-verification', to: registration.email, token: null, link: null });

      await suite.verify(registration, first.otp);
      await suite.inNamespace('reset').post('/auth/forgot-password', { email: registration.email });
      const second = await suite.nextMail(registration.email, { after: String(first.cursor) });
      expect(second).toMatchObject({ kind: 'password-reset', otp: null, token: expect.stringMatching(/^.{43}$/) });
      expect(second.link).toBe(`http://localhost:5173/reset-password?token=${second.token}`);
      expect(second.links).toEqual([second.link]);
      const change = { token: second.token, password: 'Battery-Staple8@', password_confirmation: 'Battery-Staple8@' };
      expect((await suite.inNamespace('reset').post('/auth/reset-password', change)).status).toBe(200);
      const notice = await suite.nextMail(registration.email, { kind: 'password-changed' });
      expect(notice.cursor).toBeGreaterThan(second.cursor);
    });

    it('that do not come are a 404, which tells what is there', async () => {
      const { email } = await suite.register();
      const { cursor } = await suite.nextMail(email);
      for (const query of [`kind=password-reset`, `after=${cursor}`]) {
        const { status, body } = await suite.api.get(`/dev/inbox/next?to=${email}&timeout_seconds=0&${query}`);
        expect(status).toBe(404);
        expect(body).toMatchObject({
          error: true,
          code: 'not_found',
          data: { waited_seconds: 0, there: [{ kind: 'email-verification', cursor }], waiting: [], failed: [] },
        });
      }
    });

    it('may take longer than any other answer', async () => {
      const query = new URLSearchParams({ to: 'nobody@example.com', timeout_seconds: '6' });
      const { status, body } = await suite.api.get(`/dev/inbox/next?${query}`);
      expect(status, 'not the 503 of a request that hangs').toBe(404);
      expect(body.data.waited_seconds).toBe(6);
    });
  });

  it('makes administrators of those who have confirmed their address', async () => {
    const change = (body: unknown) => suite.api.patch('/dev/roles', body);
    const user = await suite.user();
    const { email } = user;
    const mayList = async () =>
      (await suite.api.get('/api/users', { bearer: user.token, apiKey: suite.apiKey })).status === 200;
    for (const role of ['admin', null, 'admin', 'admin'] as const) {
      const { status, body } = await change({ email: email.toUpperCase(), role });
      expect([status, body.data]).toEqual([200, { email, role }]);
      expect(await mayList()).toBe(role === 'admin');
    }
    const pending = await suite.register();
    for (const [body, field] of [
      [{ email: pending.email, role: 'admin' }, 'role'],
      [{ email: 'nobody@example.com', role: 'admin' }, 'email'],
      [{ email, role: 'root' }, 'role'],
      [{ email }, 'role'],
      [{ email: 7, role: null }, 'email'],
    ] as const) {
      const { status, body: refusal } = await change(body);
      expect([status, refusal.errors?.[0].field], JSON.stringify(body)).toEqual([422, field]);
    }
    expect(await mayList()).toBe(true);
  });

  describe('the clock', () => {
    it('ages codes, reset tokens, sessions and limits', async () => {
      const visitor = await suite.register();
      const { otp } = await suite.nextMail(visitor.email);
      const user = await suite.user();
      await suite.inNamespace('reset').post('/auth/forgot-password', { email: user.email });
      const { token } = await suite.nextMail(user.email, { kind: 'password-reset' });
      const guesser = suite.inNamespace('guesser');
      for (let i = 0; i < 5; i += 1) expect((await guesser.post('/auth/login', {})).status).toBe(422);
      expect((await guesser.post('/auth/login', {})).status).toBe(429);

      await suite.move({ advance_seconds: 14 * 60 });
      expect((await guesser.post('/auth/login', {})).status, 'the window has not ended').toBe(429);
      expect((await suite.verify(visitor, otp)).body.code).toBe('invalid_otp');

      await suite.move({ advance_seconds: 2 * 60 });
      expect((await guesser.post('/auth/login', {})).status).toBe(422);
      const change = { token, password: 'Battery-Staple8@', password_confirmation: 'Battery-Staple8@' };
      expect((await suite.inNamespace('reset').post('/auth/reset-password', change)).body.code).toBe(
        'invalid_reset_token',
      );

      await suite.move({ offset_seconds: 8 * 24 * HOUR_SECONDS });
      expect((await suite.refresh(user)).status, 'the session has ended').toBe(401);
    });

    it('ends the delay after too many failed logins', async () => {
      const { username } = await suite.verified();
      const attempt = (password: string) =>
        suite.inNamespace(randomBytes(8).toString('hex')).post('/auth/login', { login: username, password });
      for (let i = 0; i < 20; i += 1) expect((await attempt('Wrong-Password1@')).status).toBe(401);
      for (let i = 0; i < 6; i += 1) {
        await suite.move({ advance_seconds: 60 });
        expect((await attempt('Wrong-Password1@')).status).toBe(401);
      }
      expect((await attempt(PASSWORD)).status).toBe(429);
      await suite.move({ advance_seconds: HOUR_SECONDS });
      expect((await attempt(PASSWORD)).status).toBe(200);
    });

    it('is read, set, advanced and reset', async () => {
      const offset = async () => (await suite.api.get('/dev/clock')).body.data.offset_seconds as number;
      expect(await offset()).toBe(0);
      await suite.move({ offset_seconds: 60 });
      await suite.move({ advance_seconds: 30 });
      expect(await offset()).toBe(90);
      const { data } = (await suite.api.get('/dev/clock')).body;
      expect(Date.parse(data.now)).toBeGreaterThan(Date.now() + 60_000);
      await suite.move({ offset_seconds: 10 });
      expect(await offset()).toBe(10);
      expect((await suite.api.delete('/dev/clock')).body.data.offset_seconds).toBe(0);
    });
  });

  it('counts the limits of suites apart that name themselves', async () => {
    const [a, b] = [suite.inNamespace('suite-a'), suite.inNamespace('suite-b')];
    const statuses = async ({ post }: typeof a) =>
      Promise.all(Array.from({ length: 6 }, async () => (await post('/auth/login', {})).status));
    const runs = await Promise.all([statuses(a), statuses(b)]);
    for (const run of runs) expect(run.toSorted()).toEqual([422, 422, 422, 422, 422, 429]);
    expect((await suite.api.post('/auth/login', {})).status, 'and apart from those without a name').toBe(422);
  });

  it('holds mails back while the mail server is down, and loses those that it refuses', async () => {
    await suite.fail({ smtp: 'down' });
    const delayed = await suite.register();
    const isThere = async ({ email }: Registration) => (await suite.api.get(`/dev/inbox?to=${email}`)).body.data.length;
    await expect.poll(async () => (await suite.api.get('/metrics')).text).toMatch(/outcome="postponed"} [1-9]/);
    expect(await isThere(delayed)).toBe(0);
    const unsent = async ({ email }: Registration) =>
      (await suite.api.get(`/dev/inbox/next?to=${email.toUpperCase()}&timeout_seconds=0`)).body.data;
    const mail = { kind: 'email-verification', reason: expect.stringMatching(/./) };
    expect(await unsent(delayed)).toMatchObject({ waiting: [mail], failed: [] });
    await suite.fail({ smtp: 'refusing' });
    const lost = await suite.register();
    await expect.poll(async () => (await suite.api.get('/metrics')).text).toMatch(/outcome="refused"} [1-9]/);

    expect(await unsent(lost), 'it will never come').toMatchObject({ waiting: [], failed: [mail] });

    expect((await suite.api.delete('/dev/faults')).body.data.smtp).toBe('up');
    await suite.move({ advance_seconds: 120 });
    const { otp } = await suite.nextMail(delayed.email, { timeout_seconds: '25' });
    expect((await suite.verify(delayed, otp)).status).toBe(200);
    expect(await isThere(lost)).toBe(0);
  });

  it.skipIf(!('REDIS_URL' in env))('goes on without Redis, and back to it', async () => {
    const [user, goner] = [await suite.user(), await suite.user()];
    const state = async () => (await suite.api.get('/health/ready')).body.data;
    await suite.fail({ redis: 'down' });
    expect(await state()).toMatchObject({ status: 'degraded', dependencies: { redis: 'down' } });
    expect((await suite.profile(user)).status).toBe(200);
    const logout = { bearer: goner.token };
    expect((await suite.api.post('/auth/logout', { refresh_token: goner.refresh_token }, logout)).status).toBe(200);
    expect((await suite.profile(goner)).status).toBe(401);
    await suite.fail({ redis: 'up' });
    expect(await state()).toMatchObject({ status: 'ready', dependencies: { redis: 'up' } });
    expect((await suite.profile(goner)).status, 'the logout that Redis missed').toBe(401);
    expect((await suite.profile(user)).status).toBe(200);
  });

  it('begins anew with a clean slate, as the same process', async () => {
    const user = await suite.user();
    expect((await suite.profile(user)).status).toBe(200);
    const guesser = suite.inNamespace('guesser');
    for (let i = 0; i < 6; i += 1) await guesser.post('/auth/login', {});
    await suite.move({ offset_seconds: 86_400 });
    await suite.fail({ smtp: 'down', ...('REDIS_URL' in env ? { redis: 'down' } : {}) });

    expect((await suite.api.delete('/dev/state')).status).toBe(200);
    expect((await suite.profile(user)).status, 'sessions and caches').toBe(401);
    expect((await guesser.post('/auth/login', {})).status, 'limits').toBe(422);
    expect((await suite.api.get(`/dev/inbox?to=${user.email}`)).body.data, 'mails').toEqual([]);
    expect((await suite.api.get('/dev/clock')).body.data.offset_seconds, 'clock').toBe(0);
    expect((await suite.api.get('/dev/faults')).body.data).toMatchObject({ smtp: 'up' });
    const again = await suite.inNamespace('again').post('/auth/register', { ...newRegistration(), email: user.email });
    expect(again.status, 'accounts').toBe(201);
    const { cursor } = await suite.nextMail(user.email);
    expect(cursor).toBe(1);
    expect((await suite.api.get('/health/ready')).body.data.status).toBe('ready');
  });

  it('says in its usual words what it does not understand', async () => {
    const refusal = async (
      answer: Promise<{ status: number; body: { code: string; errors: { field: string }[] } }>,
    ) => {
      const { status, body } = await answer;
      expect([status, body.code]).toEqual([422, 'validation_failed']);
      return body.errors.map(({ field }) => field);
    };
    const { api } = suite;
    expect(await refusal(api.get('/dev/inbox/next'))).toEqual(['to']);
    expect(await refusal(api.get('/dev/inbox/next?to=a@example.com&timeout_seconds=26'))).toEqual(['timeout_seconds']);
    expect(await refusal(api.get('/dev/inbox/next?to=a@example.com&kind=spam'))).toEqual(['kind']);
    expect(await refusal(api.get('/dev/inbox/next?to=a@example.com&after=-1'))).toEqual(['after']);
    expect(await refusal(api.patch('/dev/clock', {}))).toEqual(['advance_seconds']);
    expect(await refusal(api.patch('/dev/clock', { advance_seconds: -1 }))).toEqual(['advance_seconds']);
    expect(await refusal(api.patch('/dev/clock', { advance_seconds: 1e9 }))).toEqual(['advance_seconds']);
    expect(await refusal(api.patch('/dev/clock', { advance_seconds: null }))).toEqual(['advance_seconds']);
    expect(await refusal(api.patch('/dev/clock', { advance_seconds: 1, offset_seconds: 1 }))).toEqual([
      'offset_seconds',
    ]);
    expect(await refusal(api.patch('/dev/faults', { smtp: 'slow' }))).toEqual(['smtp']);
    expect(await refusal(api.patch('/dev/faults', { mongodb: 'down' }))).toEqual(['mongodb']);
    if (!('REDIS_URL' in env)) expect(await refusal(api.patch('/dev/faults', { redis: 'down' }))).toEqual(['redis']);
    const named = { headers: { 'x-test-limit-namespace': 'a b' } };
    expect(await refusal(api.post('/auth/login', {}, named))).toEqual(['x-test-limit-namespace']);
    expect((await api.post('/dev/state')).status).toBe(405);
  });
});
