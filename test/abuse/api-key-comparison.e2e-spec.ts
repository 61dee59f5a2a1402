import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

/** The true function, which also tells what it was asked to compare. */
const { compared } = vi.hoisted(() => ({ compared: [] as [Buffer, Buffer][] }));
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>();
  const timingSafeEqual = (a: Buffer, b: Buffer) => {
    compared.push([a, b]);
    return crypto.timingSafeEqual(a, b);
  };
  return { ...crypto, timingSafeEqual };
});

const digestOf = (key: string) => createHash('sha256').update(key).digest();
const OTHER_KEYS = ['another-key-of-the-suite', 'yet-another-key-of-the-suite', 'the-last-key-of-the-suite'];
const CONFIGURED = [API_KEY, ...OTHER_KEYS];

describe('Comparing an API key', () => {
  let test: TestApp;
  beforeAll(async () => {
    const list = CONFIGURED.map((key, i) => `key${i}:${digestOf(key).toString('hex')}`).join(',');
    test = await startTestApp({ env: { API_KEYS: list, RATE_LIMIT: '1000' } });
  });
  afterAll(() => test.close());
  beforeEach(() => {
    compared.length = 0;
  });

  const given: [string, string, string][] = [
    ['the first of the configured keys', API_KEY, 'authentication_required'],
    ['the last of them', OTHER_KEYS[2] as string, 'authentication_required'],
    ['one that is wrong altogether', 'x', 'invalid_api_key'],
    ['one that is wrong in its last letter', `${API_KEY.slice(0, -1)}X`, 'invalid_api_key'],
  ];
  for (const [what, key, code] of given) {
    it(`takes the same steps for ${what}: each configured digest, in full and in constant time`, async () => {
      const { body } = await test.client().get('/api/profile', { apiKey: key });
      expect(body.code).toBe(code);
      const digest = digestOf(key);
      const own = compared.filter(([, b]) => b.equals(digest));
      expect(own.map(([a]) => a.toString('hex'))).toEqual(CONFIGURED.map((known) => digestOf(known).toString('hex')));
    });
  }

  it('takes none for none, even where the digest of nothing is configured', async () => {
    const apiKeys = [{ name: 'nothing', digest: digestOf('') }];
    const careless = await startTestApp({ adjust: (config) => ({ ...config, apiKeys }) });
    const user = await careless.personas.user();
    for (const headers of [{}, { 'x-api-key': '' }] as Record<string, string>[])
      expect((await careless.client().get('/api/profile', { bearer: user.token, headers })).body.code).toBe(
        'invalid_api_key',
      );
    await careless.close();
  });

  it('compares an issued key by its digest too, once its public part has found it', async () => {
    const admin = await test.personas.admin();
    const credentials = { apiKey: API_KEY, bearer: admin.token };
    const { body } = await test.client().post('/api/api-keys', { name: 'issued' }, credentials);
    const { key } = body.data as { key: string };
    const wrong = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;
    for (const [value, code] of [
      [key, 'authentication_required'],
      [wrong, 'invalid_api_key'],
    ] as const) {
      compared.length = 0;
      expect((await test.client().get('/api/profile', { apiKey: value })).body.code).toBe(code);
      const [stored, asked] = compared.at(-1) as [Buffer, Buffer];
      expect(stored.equals(digestOf(key)), 'what is compared is the stored digest').toBe(true);
      expect(asked.equals(digestOf(value)), 'with the digest of what was given').toBe(true);
      expect(compared.length).toBe(CONFIGURED.length + 1);
    }
  });
});
