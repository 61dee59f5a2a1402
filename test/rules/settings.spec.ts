import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/infrastructure/config/index.js';
import { SETTING_NAMES, settingsSchema } from '../../src/infrastructure/config/settings.js';

const ROOT = resolve(import.meta.dirname, '../..');
const example = readFileSync(resolve(ROOT, '.env.example'), 'utf8');
const named = [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1] as string);

const readme = readFileSync(resolve(ROOT, 'README.md'), 'utf8');

/** Of the README's table: names, and defaults that are values, in the order of the names. */
const rows = [...readme.matchAll(/^\| (`[A-Z][A-Z_`, ]+`) \| (.*?) \|/gm)].map(([, names = '', defaults = '']) => ({
  names: names.replaceAll('`', '').split(', '),
  defaults: defaults.split(', ').map((text) => /^`([^`]+)`/.exec(text)?.[1]),
}));

describe('Settings', () => {
  it('all stand in .env.example, once, and nothing else does', () => {
    expect([...named].sort()).toEqual([...SETTING_NAMES].sort());
  });

  it('all stand in the README', () => {
    expect(rows.flatMap(({ names }) => names).toSorted()).toEqual(SETTING_NAMES.toSorted());
  });

  it('have the defaults that stand there: set to them, nothing changes', () => {
    const byDefault = settingsSchema.parse({}) as Record<string, unknown>;
    const told = rows.flatMap(({ names, defaults }) => names.map((name, place) => [name, defaults[place]] as const));
    // Others depend on settings beside them.
    const fixed = told.filter(([name, value]) => value !== undefined && byDefault[name] !== undefined);
    expect(fixed.length).toBeGreaterThan(18);
    for (const [name, value] of fixed)
      expect((settingsSchema.parse({ [name]: value }) as Record<string, unknown>)[name], name).toEqual(byDefault[name]);
  });

  it('are no secrets that work, in .env.example', () => {
    const values = Object.fromEntries(
      [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=(.*)$/gm)].map((match) => [match[1], match[2]]),
    );
    for (const name of [
      'JWT_SECRET',
      'JWT_REFRESH_SECRET',
      'JWT_SECRET_PREVIOUS',
      'JWT_REFRESH_SECRET_PREVIOUS',
      'SMTP_PASS',
      'API_KEYS',
    ])
      expect(values[name]).toBe('');
  });

  it('have the defaults that the contract promises', () => {
    const config = loadConfig({ DATA_DIR: '/tmp/accounts-settings-spec' });
    expect(config).toMatchObject({
      environment: 'development',
      logLevel: 'info',
      http: { host: '127.0.0.1', port: 3000, trustedProxies: [], corsOrigins: ['http://localhost:5173'] },
      tokens: {
        accessTtlMs: 3_600_000,
        refreshTtlMs: 604_800_000,
        refreshGraceMs: 10_000,
        sessionMaxAgeMs: 2_592_000_000,
      },
      oneTimeSecrets: { otpTtlMs: 600_000, resetTtlMs: 900_000 },
      limits: { auth: { quota: 5, windowMs: 900_000 }, general: { quota: 100, windowMs: 900_000 } },
      passwords: { hashCost: 10, blocklistFile: null },
    });
    expect(Object.isFrozen(config.tokens)).toBe(true);
  });

  it('are open to other machines in production alone', () => {
    const secrets = {
      JWT_SECRET: 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF',
      JWT_REFRESH_SECRET: 'Fe0Cb7Zy4Wv1Ts8Qp5Nm2Kj9Hg6Ed3Ba',
    };
    const production = { NODE_ENV: 'production', ALLOW_EMBEDDED: 'true', ...secrets };
    expect(loadConfig(production).http.host).toBe('0.0.0.0');
    expect(loadConfig({ ...production, HOST: '127.0.0.1' }).http.host).toBe('127.0.0.1');
  });
});
