import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LocationFinder } from '../../src/login-history/index.js';
import { DAY, HOUR, MINUTE } from '../support/manual-clock.js';
import { PASSWORD } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';
import { FIREFOX, IPHONE } from '../support/user-agents.js';

describe('One’s own sessions', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    await test.app.get(LocationFinder).preload();
  });
  afterAll(() => test.close());

  const get = (bearer: string, path: string) => test.client().get(path, { apiKey: API_KEY, bearer });
  const end = (bearer: string, id: string) =>
    test.client().request(`/api/login-history/${id}`, { method: 'DELETE', apiKey: API_KEY, bearer });
  const alive = async (bearer: string) => (await get(bearer, '/api/profile')).status === 200;
  const sidOf = (token: string) =>
    (JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as { sid: string }).sid;

  it('of the same moment are each on one page', async () => {
    const frozen = await startTestApp();
    frozen.clock.freeze();
    const user = await frozen.personas.user();
    for (let login = 0; login < 4; login += 1) await frozen.personas.login(user);
    const pages = await Promise.all(
      [1, 2, 3].map((page) =>
        frozen.client().get(`/api/login-history?page=${page}&limit=2`, { apiKey: API_KEY, bearer: user.token }),
      ),
    );
    await frozen.close();
    const ids = pages.flatMap(({ body }) => body.data.content.map(({ _id }: { _id: string }) => _id));
    expect(new Set(ids).size).toBe(5);
    expect(ids).toEqual(ids.toSorted().reverse());
  });

  it('are listed, newest first, with device and place, and nothing of their tokens', async () => {
    const { registration } = await test.personas.confirmed();
    const login = (address: string) =>
      test
        .client(address)
        .post(
          '/auth/login',
          { login: registration.username, password: PASSWORD },
          { headers: { 'user-agent': FIREFOX } },
        );
    await login('10.0.0.1');
    const { token } = (await login('8.8.8.8')).body.data;
    const { status, body, text } = await get(token, '/api/login-history');
    expect(status).toBe(200);
    expect(body.data.pagination).toMatchObject({ total: 2, page: 1, limit: 20, totalPages: 1, hasNextPage: false });
    expect(body.data.content).toEqual([
      {
        _id: sidOf(token),
        ip: '8.8.8.8',
        login_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
        devices: expect.objectContaining({
          browser: { name: 'Firefox', version: '128.0', major: '128' },
          source: 'desktop',
        }),
        locations: { country: 'US', region: 'California', city: 'Mountain View', timezone: 'America/Los_Angeles' },
        user_agent: FIREFOX,
        current: true,
      },
      expect.objectContaining({ ip: '10.0.0.1', locations: null, current: false }),
    ]);
    expect(text).not.toContain('sha256');
  });

  it('say when they are over: seven days after the latest refresh, and thirty after the login at the latest', async () => {
    const user = await test.personas.user();
    const phone = await test.personas.login(user);
    let { token, refresh_token: refresh } = phone;
    const listed = async () => {
      const { content } = (await get(token, '/api/login-history')).body.data;
      const now = test.clock.nowMs();
      return content.map((one: { login_at: string; expires_at: string }) => ({
        inDays: Math.round((Date.parse(one.expires_at) - now) / DAY),
        afterLogin: Math.round((Date.parse(one.expires_at) - Date.parse(one.login_at)) / DAY),
      }));
    };
    expect(await listed()).toEqual([
      { inDays: 7, afterLogin: 7 },
      { inDays: 7, afterLogin: 7 },
    ]);
    for (let day = 6; day <= 24; day += 6) {
      test.clock.advance(6 * DAY);
      const { body } = await test.client().post('/auth/refresh-token', { refresh_token: refresh });
      ({ token, refresh_token: refresh } = body.data);
    }
    expect(await listed()).toEqual([
      { inDays: 6, afterLogin: 30 },
      { inDays: -17, afterLogin: 7 },
    ]);
    test.clock.advance(6 * DAY);
    const { body } = await test.client().post('/auth/refresh-token', { refresh_token: refresh });
    expect(body.code, 'and so they are').toBe('token_expired');
  });

  it('are not over as long as one of their tokens is valid', async () => {
    const short = await startTestApp({ env: { JWT_EXPIRES: '1h', JWT_REFRESH_EXPIRES: '10m' } });
    onTestFinished(() => short.close());
    const { client, token } = await short.personas.user();
    short.clock.advance(30 * MINUTE);
    const { body } = await client.get('/api/login-history', { bearer: token, apiKey: API_KEY });
    const [{ login_at, expires_at }] = body.data.content;
    expect(Date.parse(expires_at) - Date.parse(login_at)).toBe(HOUR);
  });

  it('are listed, too, where entries were taken over from elsewhere and know of no refresh', async () => {
    const { token, userId } = await test.personas.user();
    const entries = test.database.collection('login_histories');
    const entry = await entries.findOne(
      { user: new Types.ObjectId(userId) },
      { projection: { _id: 0, rotated_at: 0 } },
    );
    await entries.insertOne({ ...entry, login_at: new Date(test.clock.nowMs() - DAY) });
    const { status, body } = await get(token, '/api/login-history');
    expect([status, body.data.content.length]).toEqual([200, 2]);
    const { login_at, expires_at } = body.data.content[1];
    expect(Date.parse(expires_at) - Date.parse(login_at)).toBe(7 * DAY);
  });

  it('have the place of an IPv6 address, too', async () => {
    const { registration } = await test.personas.confirmed();
    const credentials = { login: registration.username, password: PASSWORD };
    const { token } = (await test.client('2001:200::8002:203:47ff:fea5:3085').post('/auth/login', credentials)).body
      .data;
    const [{ ip, locations }] = (await get(token, '/api/login-history')).body.data.content;
    expect([ip, locations?.country]).toEqual(['2001:200:0:8002:203:47ff:fea5:3085', 'JP']);
  });

  it('are counted', async () => {
    const { registration } = await test.personas.confirmed();
    let token = '';
    for (const [address, agent] of [
      ['10.0.0.1', FIREFOX],
      ['10.0.0.2', FIREFOX],
      ['10.0.0.2', 'curl/8'],
      ['10.0.0.2', 'curl/8.1'],
      ['10.0.0.2', 'PostmanRuntime/7.43'],
    ] as const) {
      const body = { login: registration.username, password: PASSWORD };
      test.clock.advance(1_000);
      token = (await test.client(address).post('/auth/login', body, { headers: { 'user-agent': agent } })).body.data
        .token;
    }
    const { body } = await get(token, '/api/login-history/statistics');
    const { content } = (await get(token, '/api/login-history')).body.data;
    expect(body.data).toEqual({
      total_logins: 5,
      unique_ips: 2,
      unique_devices: 3,
      last_login: content[0].login_at,
    });
    // One that did not say what it is.
    await test.database
      .collection('login_histories')
      .updateOne({ _id: new Types.ObjectId(content[4]._id as string) }, { $unset: { user_agent: 1, devices: 1 } });
    expect((await get(token, '/api/login-history/statistics')).body.data.unique_devices).toBe(4);
  });

  it('leave behind from where they were, for 90 days after the last', async () => {
    const user = await test.personas.user();
    const known = test.database.collection('known_devices');
    const lastSeen = async () =>
      (await known.find({ user: new Types.ObjectId(user.userId) }).toArray()).map(({ last_seen_at }) =>
        (last_seen_at as Date).getTime(),
      );
    const [first] = await lastSeen();
    test.clock.advance(60_000);
    await test.personas.login(user);
    expect(await lastSeen()).toEqual([expect.any(Number)]);
    expect((await lastSeen())[0]).toBeGreaterThanOrEqual((first as number) + 60_000);
    const { username: login, password } = user.registration;
    for (const [address, agent, count] of [
      ['10.1.1.1', FIREFOX, 2],
      ['10.1.1.2', FIREFOX, 2],
      ['10.1.1.1', IPHONE, 3],
      ['10.1.2.1', FIREFOX, 4],
      // A newer version of the same; then another system, another browser, another class of device.
      ['10.1.1.3', FIREFOX.replaceAll('128.0', '129.0'), 4],
      ['10.1.1.3', FIREFOX.replace('X11; Linux x86_64', 'Windows NT 10.0; Win64; x64'), 5],
      ['10.1.1.3', `${FIREFOX} Seamonkey/2.53`, 6],
      ['10.1.1.3', IPHONE.replace('iPhone; CPU iPhone OS', 'iPad; CPU OS'), 7],
    ] as const) {
      await test.client(address).post('/auth/login', { login, password }, { headers: { 'user-agent': agent } });
      expect(await lastSeen(), `${address} ${agent}`).toHaveLength(count);
    }
    expect(await known.indexes()).toContainEqual(
      expect.objectContaining({ key: { last_seen_at: 1 }, expireAfterSeconds: 7_776_000 }),
    );
  });

  it('can be ended one by one', async () => {
    const user = await test.personas.user();
    const other = await test.personas.login(user);
    expect((await end(user.token, sidOf(other.token))).status).toBe(200);
    expect((await get(other.token, '/api/profile')).body.code).toBe('session_revoked');
    expect(await alive(user.token)).toBe(true);
    expect((await end(user.token, sidOf(user.token))).status).toBe(200);
    expect(await alive(user.token)).toBe(false);
  });

  it('are nobody else’s to see or to end, save an administrator’s to see', async () => {
    const ada = await test.personas.user();
    const eve = await test.personas.user();
    for (const id of [sidOf(ada.token), 'f'.repeat(24)]) {
      expect((await end(eve.token, id)).body.code).toBe('not_found');
    }
    expect((await end(eve.token, 'x')).status).toBe(422);
    expect(await alive(ada.token)).toBe(true);
    const path = `/api/users/${ada.userId}/login-history`;
    expect((await get(eve.token, path)).status).toBe(403);
    const admin = await test.personas.admin();
    const { body } = await get(admin.token, path);
    expect(body.data.content).toEqual([expect.objectContaining({ _id: sidOf(ada.token), current: false })]);
    const own = await get(admin.token, `/api/users/${admin.userId}/login-history`);
    expect(own.body.data.content).toContainEqual(expect.objectContaining({ _id: sidOf(admin.token), current: true }));
  });
});
