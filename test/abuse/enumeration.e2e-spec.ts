import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PasswordHasher } from '../../src/security/index.js';
import type { ApiResponse } from '../support/api-client.js';
import { wrongCode } from '../support/inbox.js';
import { PASSWORD, type Visitor } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** What an outsider sees of an answer: status, body, names of the headers, and the limits in them. */
const visible = ({ status, text, headers }: ApiResponse) => ({
  status,
  text,
  headers: [...headers.keys()].sort(),
  limit: headers.get('ratelimit')?.replace(/t=\d+/, 't'),
});

describe('Whether an account exists', () => {
  let test: TestApp;
  let comparisons = 0;
  let hashes = 0;
  beforeAll(async () => {
    test = await startTestApp();
    const hasher = test.app.get(PasswordHasher);
    const { verify, hash } = hasher;
    hasher.verify = (...args) => {
      comparisons += 1;
      return verify.apply(hasher, args);
    };
    hasher.hash = (...args) => {
      hashes += 1;
      return hash.apply(hasher, args);
    };
  });
  afterAll(() => test.close());

  /** The answer, and the hashing done for it. */
  const ask = async (path: string, body: object) => {
    comparisons = 0;
    hashes = 0;
    const answer = visible(await test.client().post(path, body));
    return { ...answer, comparisons, hashes };
  };
  const disable = async (username: string) => {
    const user = await test.database.collection('users').findOne({ username });
    await test.database.collection('auths').updateOne({ user: user?._id }, { $set: { disabled_at: new Date() } });
  };

  it('does not show at login: unknown, wrong password, unconfirmed, disabled, deleted', async () => {
    const confirmed = await test.personas.confirmed();
    const unconfirmed = await test.personas.visitor();
    const disabled = await test.personas.confirmed();
    await disable(disabled.registration.username);
    const deleted = await test.personas.user();
    const admin = await test.personas.admin();
    expect((await admin.api.delete(`/api/users/${deleted.userId}`)).status).toBe(200);
    const unknown = await ask('/auth/login', { login: 'nobody_at_all', password: PASSWORD });
    expect(unknown).toMatchObject({ status: 401, comparisons: 1 });
    for (const [login, password] of [
      [confirmed.registration.username, 'Wrong-pass1'],
      [confirmed.registration.email, 'Wrong-pass1'],
      [unconfirmed.registration.username, 'Wrong-pass1'],
      [disabled.registration.username, PASSWORD],
      [deleted.registration.username, PASSWORD],
      [deleted.registration.email, PASSWORD],
      ['nobody@example.com', 'Wrong-pass1'],
      [confirmed.registration.username, 'x'.repeat(200)],
    ]) {
      expect(await ask('/auth/login', { login, password }), login).toEqual(unknown);
    }
  });

  it('does not show at forgot-password', async () => {
    const confirmed = await test.personas.confirmed();
    const unconfirmed = await test.personas.visitor();
    const disabled = await test.personas.confirmed();
    await disable(disabled.registration.username);
    const unknown = await ask('/auth/forgot-password', { email: 'nobody1@example.com' });
    expect(unknown.status).toBe(200);
    for (const { registration } of [confirmed, unconfirmed, disabled]) {
      expect(await ask('/auth/forgot-password', { email: registration.email })).toEqual(unknown);
      expect(await ask('/auth/forgot-password', { email: registration.email })).toEqual(unknown);
    }
    expect(await ask('/auth/forgot-password', { email: 'nobody1@example.com' })).toEqual(unknown);
  });

  it('does not show at resend-otp', async () => {
    const confirmed = await test.personas.confirmed();
    const unconfirmed = await test.personas.visitor();
    const unknown = await ask('/auth/resend-otp', { email: 'nobody2@example.com' });
    expect(unknown).toMatchObject({ status: 200, hashes: 1 });
    for (const { registration } of [confirmed, unconfirmed]) {
      expect(await ask('/auth/resend-otp', { email: registration.email })).toEqual(unknown);
    }
  });

  it('does not show at verify-otp', async () => {
    const confirmed = await test.personas.confirmed();
    const unconfirmed = await test.personas.visitor();
    const unknown = await ask('/auth/verify-otp', { email: 'nobody3@example.com', otp: '123456' });
    expect(unknown).toMatchObject({ status: 400, comparisons: 1 });
    const { otp } = await test.inbox.waitFor(unconfirmed.registration.email, 'email-verification');
    for (const { registration } of [confirmed, unconfirmed]) {
      expect(await ask('/auth/verify-otp', { email: registration.email, otp: wrongCode(otp) })).toEqual(unknown);
    }
  });

  it('does not show in what the database is asked', async () => {
    const commands: string[] = [];
    test.database.set('debug', (collection: string, method: string) => {
      // The others are those of the worker and of the inbox, and of the record that is stored later.
      if (['security_events', 'dev_inbox'].includes(collection) || (collection === 'mails' && method !== 'insertOne'))
        return;
      commands.push(`${collection}.${method}`);
    });
    const asked = async (path: string, body: object) => {
      commands.length = 0;
      const { status } = await test.client().post(path, body);
      return [status, ...commands];
    };
    const people = {
      confirmed: (await test.personas.confirmed()).registration,
      unconfirmed: (await test.personas.visitor()).registration,
      unknown: { username: 'nobody_4', email: 'nobody4@example.com' },
    };
    const wrongOtp = wrongCode((await test.inbox.waitFor(people.unconfirmed.email, 'email-verification')).otp);
    test.clock.advance(61_000);
    const wrong = { password: 'Wrong-pass1' };
    for (const [path, bodyFor] of Object.entries({
      '/auth/verify-otp': ({ email }: { email: string }) => ({ email, otp: wrongOtp }),
      '/auth/resend-otp': ({ email }: { email: string }) => ({ email }),
      '/auth/forgot-password': ({ email }: { email: string }) => ({ email }),
      '/auth/login': ({ email }: { email: string }) => ({ login: email, ...wrong }),
    })) {
      const expected = await asked(path, bodyFor(people.unknown));
      expect(expected.length, path).toBeGreaterThan(2);
      for (const person of [people.confirmed, people.unconfirmed])
        expect(await asked(path, bodyFor(person)), path).toEqual(expected);
    }
    for (const path of ['/auth/resend-otp', '/auth/forgot-password']) {
      const again = await asked(path, { email: people.unknown.email });
      // A lock would be a write, on disk, only where there is something to lock.
      expect(again.join(), path).not.toMatch(/update|insert/i);
      for (const { email } of [people.confirmed, people.unconfirmed])
        expect(await asked(path, { email }), path).toEqual(again);
    }
    const delayed = async ({ username }: { username: string }) => {
      for (let i = 0; i < 20; i += 1) await test.client().post('/auth/login', { login: username, ...wrong });
      return asked('/auth/login', { login: username, ...wrong });
    };
    const expected = await delayed(people.unknown);
    expect(expected[0]).toBe(429);
    expect(await delayed(people.confirmed)).toEqual(expected);
    test.database.set('debug', false);
  });

  it('does not show in the time it takes', async () => {
    // The real cost: at a low one the time of a hash would drown in the noise around it.
    const slow = await startTestApp({
      env: { AUTH_RATE_LIMIT: '100000' },
      adjust: (config) => ({ ...config, passwords: { ...config.passwords, hashCost: 9 } }),
    });
    try {
      // One after the other: on a slow machine the service refuses those at the end of a long queue.
      const people: Visitor[] = [];
      const unconfirmed: Visitor[] = [];
      for (let i = 0; i < 8; i += 1) people.push(await slow.personas.confirmed());
      for (let i = 0; i < 8; i += 1) unconfirmed.push(await slow.personas.visitor());
      const asks: Record<string, [(i: number) => object, (i: number) => object]> = {
        '/auth/login': [
          (i) => ({ login: people[i % 8]?.registration.username, password: 'Wrong-pass1' }),
          (i) => ({ login: `nobody_${i % 8}`, password: 'Wrong-pass1' }),
        ],
        '/auth/forgot-password': [
          (i) => ({ email: people[i % 8]?.registration.email }),
          (i) => ({ email: `nobody_${i % 8}@example.com` }),
        ],
        '/auth/resend-otp': [
          (i) => ({ email: unconfirmed[i % 8]?.registration.email }),
          (i) => ({ email: `nobody_${i % 8}@example.com` }),
        ],
        '/auth/verify-otp': [
          (i) => ({ email: people[i % 8]?.registration.email, otp: '000000' }),
          (i) => ({ email: `nobody_${i % 8}@example.com`, otp: '000000' }),
        ],
      };
      const hasher = slow.app.get(PasswordHasher);
      const hashing = performance.now();
      for (let i = 0; i < 5; i += 1) await hasher.verify('x', null);
      const hashMs = (performance.now() - hashing) / 5;
      const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
      const time = async (path: string, body: object, expected: number) => {
        const started = performance.now();
        const { status } = await slow.client().post(path, body);
        const ms = performance.now() - started;
        // What is refused before the account is looked for takes the same time, whoever it is.
        expect(status, path).toBe(expected);
        return ms;
      };
      const statuses: Record<string, number> = { '/auth/login': 401, '/auth/verify-otp': 400 };
      for (const [path, [known, unknown]] of Object.entries(asks)) {
        const { [path]: status = 200 } = statuses;
        // In pairs, side by side: what else the machine does meets both alike.
        const differences: number[] = [];
        for (let i = 0; i < 60; i += 1)
          differences.push((await time(path, known(i), status)) - (await time(path, unknown(i), status)));
        expect(Math.abs(median(differences)), path).toBeLessThan(hashMs / 3);
      }
    } finally {
      await slow.close();
    }
  });
});
