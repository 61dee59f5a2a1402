import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { Clock } from '../../common/clock/index.js';
import type { Config } from '../../infrastructure/config/index.js';
import { AccessTokens } from './access-tokens.js';
import { RefreshTokens } from './refresh-tokens.js';

const SECRET = 'a-test-secret-that-is-long-enough-0123';
const DAY_MS = 86_400_000;
const USER = 'a'.repeat(24);
const SESSION = 'b'.repeat(24);

class FixedClock extends Clock {
  constructor(private readonly atMs: number) {
    super();
  }
  nowMs(): number {
    return this.atMs;
  }
}

const config = {
  tokens: {
    previousRefreshSecret: null,
    refreshSecret: SECRET,
    previousAccessSecret: null,
    accessSecret: SECRET,
    accessTtlMs: 3_600_000,
    refreshTtlMs: 7 * DAY_MS,
    sessionMaxAgeMs: 30 * DAY_MS,
  },
} as Config;

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token as an attacker who knew the secret would make it. */
function forge(header: object, payload: object, secret = SECRET, algorithm = 'sha256'): string {
  const body = `${base64url(header)}.${base64url(payload)}`;
  return `${body}.${createHmac(algorithm, secret).update(body).digest('base64url')}`;
}

describe('RefreshTokens', () => {
  const now = Date.UTC(2026, 0, 1);
  let tokens: RefreshTokens;
  beforeEach(() => {
    tokens = new RefreshTokens(config, new FixedClock(now));
  });

  const state = {
    userId: USER,
    sessionId: SESSION,
    generation: 3,
    rotatedAt: new Date(now),
    loggedInAt: new Date(now),
  };
  const header = { alg: 'HS256', typ: 'rt+jwt' };
  const iat = now / 1000;
  const claims = {
    id: USER,
    sid: SESSION,
    gen: 3,
    auth_time: iat,
    iat,
    exp: iat + 60,
    iss: 'account-service',
    aud: 'account-service/refresh',
  };

  it('are the same again for the same state of a session, and differ by generation', () => {
    expect(tokens.issue(state)).toBe(tokens.issue(state));
    expect(tokens.issue({ ...state, generation: 4 })).not.toBe(tokens.issue(state));
  });

  it('end with the session, when that comes first', () => {
    const { exp } = tokens.verify(tokens.issue({ ...state, loggedInAt: new Date(now - 28 * DAY_MS) }));
    expect(exp).toBe((now + 2 * DAY_MS) / 1000);
  });

  it('end in the very second, though they say later: by the lifetimes of today', () => {
    const later = { ...claims, exp: iat + 3600 };
    const issuedAgo = (ms: number) => forge(header, { ...later, iat: iat - ms / 1000, auth_time: iat - ms / 1000 });
    expect(tokens.verify(issuedAgo(7 * DAY_MS - 1_000))).toMatchObject({ sid: SESSION });
    const expired = expect.objectContaining({ code: 'token_expired' });
    expect(() => tokens.verify(issuedAgo(7 * DAY_MS))).toThrow(expired);
  });

  it('are accepted when they are sound', () => {
    expect(tokens.verify(forge(header, claims))).toMatchObject({ id: USER, sid: SESSION, gen: 3 });
  });

  it.each([
    ['another algorithm', forge({ ...header, alg: 'HS512' }, claims, SECRET, 'sha512')],
    ['no algorithm', `${base64url({ ...header, alg: 'none' })}.${base64url(claims)}.`],
    ['another secret', forge(header, claims, 'another-secret')],
    ['an empty secret', forge(header, claims, '')],
    ['another type', forge({ ...header, typ: 'at+jwt' }, claims)],
    ['the type JWT', forge({ ...header, typ: 'JWT' }, claims)],
    ['no type', forge({ alg: 'HS256' }, claims)],
    ['critical extensions', forge({ ...header, crit: ['x'] }, claims)],
    ['another audience', forge(header, { ...claims, aud: 'account-service/access' })],
    ['another issuer', forge(header, { ...claims, iss: 'elsewhere' })],
    ['no expiry', forge(header, { ...claims, exp: undefined })],
    ['an expiry in words', forge(header, { ...claims, exp: String(iat + 60) })],
    ['an endless expiry', forge(header, { ...claims, exp: 1e308 })],
    ['an issue in the future', forge(header, { ...claims, iat: iat + 3600 })],
    ['a later beginning', forge(header, { ...claims, nbf: iat + 3600 })],
    ['an operator for an id', forge(header, { ...claims, id: { $ne: null } })],
    ['a list for an id', forge(header, { ...claims, id: [USER] })],
    ['a path for an id', forge(header, { ...claims, sid: '../../x' })],
    ['an id in capitals', forge(header, { ...claims, id: 'A'.repeat(24) })],
    ['no generation', forge(header, { ...claims, gen: undefined })],
    ['no login', forge(header, { ...claims, auth_time: undefined })],
    ['four parts', `${forge(header, claims)}.x`],
    ['nothing', ''],
  ])('are refused with %s', (_name, token) => {
    expect(() => tokens.verify(token)).toThrow(expect.objectContaining({ code: 'token_invalid' }));
  });

  it('are refused with a name of its own when they have expired, save as a proof of ownership', () => {
    const expired = forge(header, { ...claims, exp: iat });
    expect(() => tokens.verify(expired)).toThrow(expect.objectContaining({ code: 'token_expired' }));
    const prove = (userId: string, sessionId: string) => tokens.verifyOwnership(expired, { userId, sessionId });
    expect(() => prove(USER, SESSION)).not.toThrow();
    const refused = expect.objectContaining({ code: 'token_invalid' });
    expect(() => prove(USER, 'c'.repeat(24))).toThrow(refused);
    expect(() => prove('c'.repeat(24), SESSION)).toThrow(refused);
  });
});

describe('AccessTokens', () => {
  const now = Date.UTC(2026, 0, 1);
  const withLifetime = (accessTtlMs: number, atMs: number) =>
    new AccessTokens({ tokens: { ...config.tokens, accessTtlMs } } as Config, new FixedClock(atMs));

  it('are not issued for a session that has reached its greatest age', () => {
    const { sessionMaxAgeMs } = config.tokens;
    const issued = (ageMs: number) => () =>
      withLifetime(3_600_000, now).issue({ userId: USER, sessionId: SESSION, loggedInAt: new Date(now - ageMs) });
    expect(issued(sessionMaxAgeMs - 1_000)()).toMatchObject({ expiresIn: 1 });
    for (const ageMs of [sessionMaxAgeMs - 999, sessionMaxAgeMs, sessionMaxAgeMs + 2_000])
      expect(issued(ageMs), `${ageMs}`).toThrow(expect.objectContaining({ code: 'token_expired' }));
  });

  it('end in the very millisecond, though they say later: by the lifetime of today', () => {
    const { token } = withLifetime(3_600_000, now).issue({
      userId: USER,
      sessionId: SESSION,
      loggedInAt: new Date(now),
    });
    const verifiedAt = (accessTtlMs: number, ms: number) => () => withLifetime(accessTtlMs, now + ms).verify(token);
    const expired = expect.objectContaining({ code: 'token_expired' });
    expect(verifiedAt(300_000, 299_999)()).toMatchObject({ id: USER, sid: SESSION });
    expect(verifiedAt(300_000, 300_000)).toThrow(expired);
    // A longer one prolongs nothing.
    expect(verifiedAt(7_200_000, 3_599_999)()).toMatchObject({ id: USER, sid: SESSION });
    expect(verifiedAt(7_200_000, 3_600_000)).toThrow(expired);
  });
});
