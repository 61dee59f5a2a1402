import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiKeysRepository } from '../../src/security/index.js';
import { expectRefusal } from '../support/invariants.js';
import type { User } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('API keys', () => {
  let test: TestApp;
  let second: TestApp;
  let admin: User;
  beforeAll(async () => {
    test = await startTestApp({ env: { RATE_LIMIT: '100000' } });
    second = await startTestApp({ env: { RATE_LIMIT: '100000' }, beside: test });
    admin = await test.personas.admin();
  });
  afterAll(async () => {
    await second.close();
    await test.close();
  });

  const send = (method: string, path: string, body?: unknown) =>
    test.client().request(path, { method, body, apiKey: API_KEY, bearer: admin.token });
  const issue = (body: object) => send('POST', '/api/api-keys', body);
  /** Whether a key opens a protected route. */
  const opens = async (apiKey: string, instance = test) => {
    const { status, body } = await instance.client().get('/api/profile', { apiKey, bearer: admin.token });
    if (status === 200) return true;
    expect([status, body.code]).toEqual([401, 'invalid_api_key']);
    return false;
  };

  /** It may hold an underscore itself. */
  const secretOf = (key: string) => key.slice(`ak_${'0'.repeat(24)}_`.length);

  it('are issued by administrators, shown once, and stored as a digest', async () => {
    const { status, body } = await issue({ name: 'web-shop' });
    expect(status).toBe(200);
    const { key, ...shown } = body.data;
    expect(key).toMatch(/^ak_[0-9a-f]{24}_[A-Za-z0-9_-]{43}$/);
    expect(await opens(key)).toBe(true);
    // The use is written behind the answer.
    await expect
      .poll(async () => (await send('GET', '/api/api-keys')).body.data.content)
      .toContainEqual({ ...shown, last_used_at: expect.any(String) });
    expect(shown).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'web-shop',
      prefix: `ak_${shown._id}`,
      created_at: expect.any(String),
      created_by: admin.userId,
      rotated_at: null,
      previous_until: null,
      expires_at: null,
      last_used_at: null,
    });
    const list = await send('GET', '/api/api-keys');
    const stored = JSON.stringify(await test.database.collection('api_keys').find().toArray());
    expect(stored + list.text).not.toContain(secretOf(key));
  });

  it('are good beside each other and beside those of the settings', async () => {
    const keys = await Promise.all(['one', 'two'].map(async (name) => (await issue({ name })).body.data.key as string));
    for (const key of [...keys, API_KEY]) expect(await opens(key)).toBe(true);
  });

  it('are refused once one is told that they are gone, though whoever removed them told no cache', async () => {
    const { key, _id } = (await issue({ name: 'orphaned' })).body.data;
    expect(await opens(key)).toBe(true);
    await test.database.collection('api_keys').deleteOne({ _id: new Types.ObjectId(_id as string) });
    expect((await send('DELETE', `/api/api-keys/${_id}`)).status).toBe(404);
    expect(await opens(key)).toBe(false);
  });

  it('are listed newest first', async () => {
    for (const name of ['older', 'newer']) {
      test.clock.advance(1_000);
      await issue({ name });
    }
    const { content } = (await send('GET', '/api/api-keys?limit=2')).body.data;
    expect(content.map(({ name }: { name: string }) => name)).toEqual(['newer', 'older']);
  });

  it('are told to be in use every ten minutes, and open though that cannot be written', async () => {
    const { key } = (await issue({ name: 'in-use' })).body.data;
    const repository = test.app.get(ApiKeysRepository, { strict: false });
    const recordUse = repository.recordUse.bind(repository);
    const told: Date[] = [];
    repository.recordUse = (_id, at) => {
      told.push(at);
      return Promise.reject(new Error('the database is away'));
    };
    const start = test.clock.nowMs();
    try {
      for (let minute = 0; minute <= 20; minute += 4) {
        expect(await opens(key), `minute ${minute}`).toBe(true);
        test.clock.advance(4 * MINUTE_MS);
      }
    } finally {
      repository.recordUse = recordUse;
    }
    expect(told.map((at) => Math.round((at.getTime() - start) / MINUTE_MS))).toEqual([0, 12]);
  });

  it('stay revoked, though a slow request read them before', async () => {
    const { key, _id } = (await issue({ name: 'slowly-read' })).body.data;
    const repository = test.app.get(ApiKeysRepository, { strict: false });
    const findById = repository.findById.bind(repository);
    repository.findById = async (id) => {
      const found = await findById(id);
      expect((await send('DELETE', `/api/api-keys/${_id}`)).status).toBe(200);
      return found;
    };
    try {
      await opens(key);
    } finally {
      repository.findById = findById;
    }
    expect(await opens(key)).toBe(false);
  });

  it('are refused in any other form', async () => {
    const { key, _id } = (await issue({ name: 'forms' })).body.data as { key: string; _id: string };
    const other = (await issue({ name: 'other-form' })).body.data.key as string;
    const secret = secretOf(key);
    for (const wrong of [
      '',
      _id,
      `ak_${_id}`,
      `ak_${_id}_`,
      secret,
      key.slice(0, -1),
      `${key}A`,
      key.toUpperCase(),
      `ak_${_id}_${secretOf(other)}`,
      `ak_${'0'.repeat(24)}_${secret}`,
      `${key},${API_KEY}`,
    ]) {
      expect(await opens(wrong), wrong).toBe(false);
    }
    expect(await opens(key)).toBe(true);
  });

  it('end at once when revoked, on every instance', async () => {
    const { key, _id } = (await issue({ name: 'revoked' })).body.data;
    for (const instance of [test, second]) expect(await opens(key, instance)).toBe(true);
    expect((await send('DELETE', `/api/api-keys/${_id}`)).body).toEqual({
      error: false,
      message: 'API key revoked',
      data: null,
    });
    // Without Redis each instance has a cache of its own, and the service says so at its start.
    for (const instance of test.config.redis.url ? [test, second] : [test])
      expect(await opens(key, instance)).toBe(false);
    expect((await send('DELETE', `/api/api-keys/${_id}`)).body.code).toBe('not_found');
    expect((await issue({ name: 'revoked' })).status, 'the name is free again').toBe(200);
  });

  it('are replaced by a new one at once, or with an overlap', async () => {
    const { key, _id } = (await issue({ name: 'rotated' })).body.data;
    expect(await opens(key)).toBe(true);
    const next = (await send('POST', `/api/api-keys/${_id}/rotate`, {})).body.data;
    expect(next).toMatchObject({ _id, name: 'rotated', rotated_at: expect.any(String) });
    expect([await opens(key), await opens(next.key)]).toEqual([false, true]);

    const third = (await send('POST', `/api/api-keys/${_id}/rotate`, { overlap_seconds: 3600 })).body.data;
    expect([await opens(key), await opens(next.key), await opens(third.key)]).toEqual([false, true, true]);
    test.clock.advance(HOUR_MS - 1000);
    admin = { ...admin, ...(await test.personas.login(admin)) };
    expect(await opens(next.key)).toBe(true);
    test.clock.advance(1000);
    expect([await opens(next.key), await opens(third.key)]).toEqual([false, true]);
  });

  it('leave one good key, however many rotations happen at once', async () => {
    const { _id } = (await issue({ name: 'raced' })).body.data;
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => send('POST', `/api/api-keys/${_id}/rotate`, { overlap_seconds: 0 })),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const good = await Promise.all(answers.map(({ body }) => opens(body.data.key)));
      expect(good.filter(Boolean), `round ${round}`).toHaveLength(1);
    }
  });

  it('keep the overlap that was promised, however many ask for another, and give it up for a rotation without one', async () => {
    const { key, _id } = (await issue({ name: 'overlapping' })).body.data;
    const rotate = (overlap_seconds: number) => send('POST', `/api/api-keys/${_id}/rotate`, { overlap_seconds });
    let present = key as string;
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => rotate(3600)));
      const taken = answers.filter(({ status }) => status === 200);
      expect(taken, `round ${round}`).toHaveLength(1);
      const refused = answers.find(({ status }) => status !== 200);
      expectRefusal('/api/api-keys', refused as NonNullable<typeof refused>, 422);
      expect(refused?.body.errors[0].field).toBe('overlap_seconds');
      const next = taken[0]?.body.data.key as string;
      expect([await opens(present), await opens(next)], `round ${round}`).toEqual([true, true]);
      const leaked = await rotate(0);
      present = leaked.body.data.key;
      expect([await opens(next), await opens(present)]).toEqual([false, true]);
    }
  });

  it('expire when they were told to', async () => {
    const expires_at = new Date(test.clock.nowMs() + HOUR_MS).toISOString();
    const { key, _id } = (await issue({ name: 'expiring', expires_at })).body.data;
    const rotated = await send('POST', `/api/api-keys/${_id}/rotate`, { overlap_seconds: 7200 });
    expect(rotated.body.data).toMatchObject({ expires_at, previous_until: expires_at });
    expect([await opens(key), await opens(rotated.body.data.key)]).toEqual([true, true]);
    test.clock.advance(HOUR_MS);
    admin = { ...admin, ...(await test.personas.login(admin)) };
    expect([await opens(key), await opens(rotated.body.data.key)]).toEqual([false, false]);

    for (const overlap_seconds of [0, 3600]) {
      const answer = await send('POST', `/api/api-keys/${_id}/rotate`, { overlap_seconds });
      expectRefusal('/api/api-keys', answer, 422);
      expect(answer.body.errors[0].field, 'its successor would be refused as well').toBe('id');
    }
  });

  it('are not issued under a name that is taken or badly formed, nor with an expiry that is past', async () => {
    expect((await issue({ name: 'taken' })).status).toBe(200);
    const refused: [object, string][] = [
      [{ name: 'taken' }, 'name'],
      [{ name: 'suite' }, 'name'],
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: 'a b' }, 'name'],
      [{ name: 'x'.repeat(65) }, 'name'],
      [{ name: { $ne: 1 } }, 'name'],
      [{ name: 'e1', expires_at: null }, 'expires_at'],
      [{ name: 'e1', expires_at: 'tomorrow' }, 'expires_at'],
      [{ name: 'e1', expires_at: '2099-01-01' }, 'expires_at'],
      [{ name: 'e1', expires_at: '2099-01-01T00:00:60Z' }, 'expires_at'],
      [{ name: 'e1', expires_at: '2099-02-30T00:00:00Z' }, 'expires_at'],
      [{ name: 'e1', expires_at: '9999-12-31T23:59:59-23:59' }, 'expires_at'],
      [{ name: 'e1', expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
      [{ name: 'e1', digest: 'x' }, 'digest'],
    ];
    for (const [body, field] of refused) {
      const answer = await issue(body);
      expectRefusal('/api/api-keys', answer, 422);
      expect(answer.body.errors[0].field, JSON.stringify(body)).toBe(field);
    }
    const { _id } = (await issue({ name: 'rotate-me' })).body.data;
    for (const overlap_seconds of [-1, 604_801, 1.5, '1', null])
      expectRefusal('/api/api-keys', await send('POST', `/api/api-keys/${_id}/rotate`, { overlap_seconds }), 422);
    expect((await send('POST', `/api/api-keys/${_id}/rotate`)).status, 'no body is an empty one').toBe(200);
    for (const id of ['x', '0'.repeat(23)]) expect((await send('DELETE', `/api/api-keys/${id}`)).status).toBe(422);
    expect((await send('POST', `/api/api-keys/${'0'.repeat(24)}/rotate`, {})).body.code).toBe('not_found');
  });

  it('are found by their ids in either case, and by nothing else', async () => {
    const issued = (await issue({ name: 'in-capitals' })).body.data;
    const isGood = async (key: string) =>
      (await test.client().get('/api/profile', { apiKey: key, bearer: admin.token })).status === 200;
    expect(await isGood(issued.key)).toBe(true);
    const rotated = (await send('POST', `/api/api-keys/${issued._id.toUpperCase()}/rotate`, {})).body.data;
    expect([await isGood(issued.key), await isGood(rotated.key)]).toEqual([false, true]);
    expect((await send('DELETE', `/api/api-keys/${issued._id.toUpperCase()}`)).status).toBe(200);
    expect(await isGood(rotated.key)).toBe(false);
    for (const path of ['/api/api-keys/0x66f2a1b3c4d5e6f708192a', '/api/api-keys/66f2a1b3c4d5e6f708192a3g']) {
      expect((await send('DELETE', path)).status).toBe(422);
    }
  });

  it('are recorded when they change, by name', async () => {
    const { key, _id } = (await issue({ name: 'recorded' })).body.data;
    await send('POST', `/api/api-keys/${_id}/rotate`, {});
    await send('DELETE', `/api/api-keys/${_id}`);
    await expect
      .poll(async () => {
        const { body, text } = await send('GET', '/api/security-events?kind=api_key_changed&limit=100');
        expect(text).not.toContain(key);
        const events = body.data.content as { detail: string; by: string }[];
        return events.filter(({ detail }) => detail.includes(_id)).map(({ detail, by }) => [detail, by]);
      })
      .toEqual(['revoked', 'rotated', 'issued'].map((what) => [`${what} recorded ${_id}`, admin.userId]));
  });
});
