import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefusal, storedState } from '../support/invariants.js';
import { newRegistration, type User } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const OPERATORS = [
  { $ne: null },
  { $ne: '' },
  { $gt: '' },
  { $regex: '^a' },
  { $exists: true },
  { $in: ['a', 'b'] },
  { $where: 'sleep(3000)' },
  { $expr: { $eq: [1, 1] } },
  ['a', 'b'],
  [['a']],
  { length: 3, 0: 'a' },
  7,
  true,
  null,
];

describe('Injection', () => {
  let test: TestApp;
  let user: User;
  let before: string;
  beforeAll(async () => {
    test = await startTestApp();
    user = await test.personas.user();
    before = await storedState(test);
  });
  afterAll(async () => {
    expect(await storedState(test), 'nothing was changed').toBe(before);
    await test.close();
  });

  const validBodies = (): Record<string, Record<string, unknown>> => ({
    '/auth/register': { ...newRegistration() },
    '/auth/verify-otp': { email: 'a@example.com', otp: '123456' },
    '/auth/login': { login: 'somebody', password: 'Abcdef1@' },
    '/auth/refresh-token': { refresh_token: user.refresh_token },
    '/auth/logout': { refresh_token: user.refresh_token },
    '/auth/forgot-password': { email: user.registration.email },
    '/auth/reset-password': { token: 'x'.repeat(43), password: 'Brand-new2$', password_confirmation: 'Brand-new2$' },
    '/auth/resend-otp': { email: user.registration.email },
    '/auth/its-not-me': { refresh_token: user.refresh_token },
  });

  for (const path of [
    'register',
    'verify-otp',
    'login',
    'refresh-token',
    'logout',
    'forgot-password',
    'reset-password',
    'resend-otp',
    'its-not-me',
  ]) {
    it(`of operators and other types into each field of /auth/${path} is refused`, async () => {
      const body = validBodies()[`/auth/${path}`] as Record<string, unknown>;
      for (const field of Object.keys(body)) {
        for (const value of OPERATORS) {
          const started = Date.now();
          const response = await test
            .client()
            .post(`/auth/${path}`, { ...body, [field]: value }, { bearer: user.token });
          expectRefusal(`/auth/${path}`, response, 422);
          expect(
            response.body.errors.map((error: { field: string }) => error.field),
            field,
          ).toContain(field);
          expect(Date.now() - started).toBeLessThan(2_000);
        }
      }
    });
  }

  it('of further keys is refused', async () => {
    for (const extra of [
      '"$or":[{}]',
      '"a.b":1',
      '"role":"admin"',
      '"confirmed_at":"2020-01-01"',
      '"_id":"x"',
      '"toString":"x"',
      '"hasOwnProperty":1',
      '"constructor":1',
      '"prototype":{"role":"admin"}',
    ]) {
      const response = await test.client().post('/auth/login', `{"login":"a","password":"b",${extra}}`);
      expectRefusal('/auth/login', response, 422);
    }
    for (const proto of [
      '"__proto__":{"role":"admin"}',
      '"constructor":{"prototype":{"role":"admin"}}',
      '"\\u005f_proto__":{"role":"admin"}',
    ]) {
      const response = await test.client().post('/auth/login', `{"login":"a","password":"b",${proto}}`);
      expectRefusal('/auth/login', response, 400);
    }
    expect(({} as { role?: string }).role).toBeUndefined();
  });

  it('into query strings is refused or ignored', async () => {
    for (const query of [
      'search[$ne]=x',
      'page[$gt]=1',
      '__proto__[role]=admin',
      'constructor.prototype.x=1',
      'page=1&page=2',
    ]) {
      const response = await test.client().get(`/api/profile?${query}`, { bearer: user.token, apiKey: API_KEY });
      expect(response.status, query).toBe(200);
    }
    expect(({} as { role?: string }).role).toBeUndefined();
  });

  it('of JSON into a value stays a value', async () => {
    const response = await test.client().post('/auth/login', { login: '"},"status_code":200,"x":{"', password: 'x' });
    expectRefusal('/auth/login', response, 401);
    expect(response.body.status_code).toBe(401);
  });
});

describe('Mass assignment', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  it('is refused, and assigns nothing', async () => {
    const fields = {
      role: 'admin',
      confirmed_at: '2020-01-01',
      _id: 'a'.repeat(24),
      created_at: '2020-01-01',
      deleted_at: null,
      auth: {},
      credential_version: 9,
    };
    for (const [field, value] of Object.entries(fields)) {
      const response = await test.client().post('/auth/register', { ...newRegistration(), [field]: value });
      expectRefusal('/auth/register', response, 422);
      expect(response.body.errors).toEqual([{ field, message: expect.any(String) }]);
    }
    expect(await test.database.collection('users').countDocuments()).toBe(0);
  });

  it('does not work through names that objects have anyway', async () => {
    for (const username of ['__proto__', 'constructor', 'hasOwnProperty']) {
      const registered = await test.client().post('/auth/register', newRegistration({ username }));
      expect(registered.status, username).toBe(201);
      expectRefusal(
        '/auth/login',
        await test.client().post('/auth/login', { login: username, password: 'Wrong-one1@' }),
        401,
      );
    }
    const auths = await test.database.collection('auths').find().toArray();
    expect(auths.every(({ role, confirmed_at }) => role === null && confirmed_at === null)).toBe(true);
  });
});
