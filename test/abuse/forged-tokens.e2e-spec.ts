import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { base64url, decodeToken, forgeToken } from '../support/forged-token.js';
import { expectRefusal } from '../support/invariants.js';
import type { User } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

describe('A forged token', () => {
  let test: TestApp;
  let user: User;
  let victim: User;
  beforeAll(async () => {
    test = await startTestApp({ env: { RATE_LIMIT: '100000' } });
    user = await test.personas.user();
    victim = await test.personas.user();
  });
  afterAll(() => test.close());

  const forge = (header: object, claims: object, secret = test.config.tokens.accessSecret, hash = 'sha256') =>
    forgeToken(header, claims, secret, hash);
  /** Every place that takes a token, with this one in it. */
  const everywhere = async (token: string, label: string) => {
    expectRefusal(
      '/api/profile',
      await test.client().get('/api/profile', { bearer: token, apiKey: API_KEY }),
      [401, 431],
    );
    for (const path of ['/auth/logout', '/auth/its-not-me']) {
      expectRefusal(
        path,
        await test.client().post(path, { refresh_token: user.refresh_token }, { bearer: token }),
        [401, 431],
      );
    }
    const refreshed = await test.client().post('/auth/refresh-token', { refresh_token: token });
    expect([401, 413, 422], label).toContain(refreshed.status);
    const still = await test.client().get('/api/profile', { bearer: user.token, apiKey: API_KEY });
    expect(still.status, `${label}: the victim's own session lives`).toBe(200);
  };

  it('without or with another algorithm is refused', async () => {
    const [header, claims] = decodeToken(user.token);
    for (const alg of [
      'none',
      'None',
      'nOnE',
      'NONE',
      'HS384',
      'HS512',
      'RS256',
      'ES256',
      'PS256',
      'EdDSA',
      '',
      null,
    ]) {
      const unsigned = `${base64url({ ...header, alg })}.${base64url(claims)}`;
      await everywhere(`${unsigned}.`, `${alg}, unsigned`);
      await everywhere(`${unsigned}.${user.token.split('.')[2]}`, `${alg}, signature of another`);
    }
    await everywhere(forge({ ...header, alg: 'HS384' }, claims, undefined, 'sha384'), 'HS384 with the right secret');
    await everywhere(forge({ ...header, alg: 'HS512' }, claims, undefined, 'sha512'), 'HS512 with the right secret');
  });

  it('that names its own key is refused, and nothing is fetched', async () => {
    let connections = 0;
    const listener = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
    listener.on('connection', () => (connections += 1));
    await once(listener, 'listening');
    const { port } = listener.address() as { port: number };
    const [header, claims] = decodeToken(user.token);
    const url = `http://127.0.0.1:${port}/jwks.json`;
    const own = { kty: 'oct', k: Buffer.from('attacker').toString('base64url') };
    for (const extra of [
      { jku: url },
      { x5u: url },
      { jwk: own },
      { x5c: ['MIIB'] },
      { kid: '../../dev/null' },
      { kid: "' OR 1=1" },
      { kid: 'k'.repeat(3_000) },
    ]) {
      await everywhere(forge({ ...header, ...extra }, claims, 'attacker'), JSON.stringify(extra).slice(0, 40));
    }
    expect(connections).toBe(0);
    listener.close();
  });

  it('signed with a secret that is not ours is refused', async () => {
    const [header, claims] = decodeToken(victim.token);
    for (const secret of ['', 'secret', '<SECRET>', 'changeme', test.config.tokens.refreshSecret]) {
      await everywhere(forge(header, claims, secret), secret);
    }
  });

  it('whose content was altered is refused', async () => {
    const [header, payload, signature] = user.token.split('.') as [string, string, string];
    const [, claims] = decodeToken(user.token);
    const asVictim = base64url({ ...claims, id: victim.userId });
    const flipped = signature.slice(0, -2) + (signature.endsWith('AA') ? 'BB' : 'AA');
    for (const token of [
      `${header}.${asVictim}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -1)}`,
      `${header}.${payload}.${flipped}`,
      `${header}.${payload}.${signature}.x`,
      `${header}.${payload}`,
      `.${payload}.${signature}`,
      `${header}..${signature}`,
      `${header}.${payload}.${signature}==`,
      'a.b.c.d.e',
    ]) {
      await everywhere(token, token.slice(-20));
    }
  });

  it('with claims that our own secret would never have signed is refused', async () => {
    const [header, claims] = decodeToken(user.token);
    const now = Math.floor(test.clock.nowMs() / 1000);
    const changes: object[] = [
      { exp: now - 1 },
      { exp: undefined },
      { exp: String(now + 60) },
      { exp: 1e308 },
      { exp: -1 },
      { nbf: now + 3_600 },
      { iat: now + 3_600 },
      { iat: undefined },
      { aud: 'elsewhere' },
      { aud: undefined },
      { iss: 'elsewhere' },
      { id: { $ne: null } },
      { id: [user.userId] },
      { id: 'x'.repeat(5_000) },
      { id: '*' },
      { id: 'f'.repeat(24) },
      { sid: 'f'.repeat(24) },
      { sid: { $gt: '' } },
      { id: victim.userId },
    ];
    for (const change of changes)
      await everywhere(forge(header, { ...claims, ...change }), JSON.stringify(change).slice(0, 60));
    for (const change of [
      { typ: 'JWT' },
      { typ: undefined },
      { typ: 'rt+jwt' },
      { crit: ['x'] },
      { crit: ['b64'], b64: false },
    ]) {
      await everywhere(forge({ ...header, ...change }, claims), JSON.stringify(change));
    }
  });

  it('to refresh a session with, with such claims, is refused and ends nothing', async () => {
    const own = await test.personas.user();
    const [header, claims] = decodeToken(own.refresh_token);
    const [, ofVictim] = decodeToken(victim.refresh_token);
    for (const change of [
      { gen: 1 },
      { gen: 7 },
      { gen: undefined },
      { id: victim.userId },
      { sid: ofVictim.sid },
      { auth_time: undefined },
      { exp: undefined },
    ]) {
      const refresh_token = forge(header, { ...claims, ...change }, test.config.tokens.refreshSecret);
      const { status, body } = await test.client().post('/auth/refresh-token', { refresh_token });
      expect([status, body.code], JSON.stringify(change)).toEqual([401, 'token_invalid']);
    }
    for (const { refresh_token } of [own, victim])
      expect((await test.client().post('/auth/refresh-token', { refresh_token })).status).toBe(200);
  });

  it('of the other kind is refused, even if both secrets were the same', async () => {
    await everywhere(forge(...decodeToken(user.refresh_token)), 'refresh token signed as an access token');
    const [header, claims] = decodeToken(user.token);
    const asRefresh = forge(header, { ...claims, gen: 0 }, test.config.tokens.refreshSecret);
    expectRefusal(
      '/auth/refresh-token',
      await test.client().post('/auth/refresh-token', { refresh_token: asRefresh }),
      401,
    );
  });

  it('in another wrapping is refused', async () => {
    for (const authorization of [
      'Basic YTpi',
      'Bearer',
      'Bearer  ',
      `Bearer a ${user.token}`,
      `Token ${user.token}`,
      user.token,
      `Bearer ${user.token}, Bearer x`,
      `Bearer "${user.token}"`,
    ]) {
      const response = await test.client().get('/api/profile', { apiKey: API_KEY, headers: { authorization } });
      expectRefusal('/api/profile', response, 401);
    }
    const [header, payload, signature] = user.token.split('.');
    const json = JSON.stringify({ payload, protected: header, signature });
    expectRefusal('/api/profile', await test.client().get('/api/profile', { apiKey: API_KEY, bearer: json }), 401);
  });
});

describe('A token of an account that has changed', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  const profile = (token: string) => test.client().get('/api/profile', { bearer: token, apiKey: API_KEY });

  it('is refused when the account is gone, disabled or deleted, once the cache is told or empty', async () => {
    const change = (collection: 'auths' | 'users', update: object) => (_id: ObjectId) =>
      test.database.collection(collection).updateOne(collection === 'auths' ? { user: _id } : { _id }, update);
    for (const close of [
      (_id: ObjectId) => test.database.collection('users').deleteOne({ _id }),
      (user: ObjectId) => test.database.collection('auths').deleteOne({ user }),
      change('auths', { $set: { disabled_at: new Date() } }),
      change('users', { $set: { deleted_at: new Date() } }),
      change('auths', { $inc: { credential_version: 1 } }),
    ]) {
      const user = await test.personas.user();
      await close(new ObjectId(user.userId));
      expectRefusal('/api/profile', await profile(user.token), 401);
      expectRefusal(
        '/auth/refresh-token',
        await test.client().post('/auth/refresh-token', { refresh_token: user.refresh_token }),
        401,
      );
    }
  });

  it('is refused when the session was never ours', async () => {
    const user = await test.personas.user();
    await test.database.collection('login_histories').deleteMany({});
    expectRefusal('/api/profile', await profile(user.token), 401);
  });
});

describe('An API key', () => {
  let test: TestApp;
  let user: User;
  beforeAll(async () => {
    test = await startTestApp();
    user = await test.personas.user();
  });
  afterAll(() => test.close());

  it('that is wrong in any way is refused before the bearer is looked at', async () => {
    const digest = createHash('sha256').update(API_KEY).digest('hex');
    const keys = [
      '',
      ' ',
      'wrong',
      `${API_KEY}, x`,
      API_KEY.slice(0, -1),
      API_KEY.slice(1),
      `${API_KEY}x`,
      digest,
      'ключ'.replace(/[^ -~]/g, '?'),
      'k'.repeat(8_000),
    ];
    for (const key of keys) {
      for (const bearer of [user.token, 'x', undefined]) {
        const response = await test.client().get('/api/profile', { bearer, headers: { 'x-api-key': key } });
        expectRefusal('/api/profile', response, 401);
        expect(response.body.code, key).toBe('invalid_api_key');
      }
    }
    const doubled = await test.client().get('/api/profile', {
      bearer: user.token,
      headers: [
        ['x-api-key', API_KEY],
        ['x-api-key', API_KEY],
      ] as never,
    });
    expectRefusal('/api/profile', doubled, 401);
  });

  it('counts in the header alone', async () => {
    for (const path of [`/api/profile?x-api-key=${API_KEY}`, `/api/profile?api_key=${API_KEY}`]) {
      expectRefusal('/api/profile', await test.client().get(path, { bearer: user.token }), 401);
    }
  });
});
