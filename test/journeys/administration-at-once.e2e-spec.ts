import { setTimeout as pause } from 'node:timers/promises';
import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Authenticator } from '../../src/security/index.js';
import { AccountAnnouncements } from '../../src/users/index.js';
import type { Tokens, User } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const ROUNDS = 25;

describe('Two administrators who decide about one account at the same moment', () => {
  let test: TestApp;
  let admins: [User, User];
  let user: User;
  beforeAll(async () => {
    test = await startTestApp({ env: { RATE_LIMIT: '100000' } });
    admins = [await test.personas.admin(), await test.personas.admin()];
    user = await test.personas.user();
  });
  afterAll(() => test.close());

  const send = ({ token }: User, method: string, path = '', body?: object) =>
    test.client().request(`/api/users/${user.userId}${path}`, { method, body, apiKey: API_KEY, bearer: token });
  /** Kind and author of each event about the account that is stored by now, which is then forgotten. */
  const takeEvents = async () => {
    const events = test.database.collection('security_events');
    const about = { user: new Types.ObjectId(user.userId) };
    const found = await events.find(about).toArray();
    await events.deleteMany(about);
    return found.map(({ kind, by }) => [kind as string, String(by)] as const);
  };

  it('are answered with what they decided, one after the other, and never half of each', async () => {
    const promoted = { role: 'admin', status: 'active' };
    const stopped = { role: null, status: 'inactive' };
    for (let round = 0; round < ROUNDS; round += 1) {
      await send(admins[0], 'PATCH', '', { role: null, status: 'active' });
      const [first, second] = await Promise.all([
        send(admins[0], 'PATCH', '', promoted),
        send(admins[1], 'PATCH', '', stopped),
      ]);
      expect(first.body.data).toMatchObject(promoted);
      expect(second.body.data).toMatchObject(stopped);
      const { role, status } = (await send(admins[0], 'GET')).body.data;
      expect([promoted, stopped]).toContainEqual({ role, status });
    }
  });

  it('cause one event if they decide the same', async () => {
    const causes: Record<string, () => Promise<unknown>[]> = {
      user_disabled: () => admins.map((admin) => send(admin, 'PATCH', '', { status: 'inactive' })),
      user_enabled: () => admins.map((admin) => send(admin, 'PATCH', '', { status: 'active' })),
      user_deleted: () => admins.map((admin) => send(admin, 'DELETE')),
      user_restored: () => admins.map((admin) => send(admin, 'POST', '/restore')),
      user_role_changed: () => admins.map((admin) => send(admin, 'PATCH', '', { role: 'admin' })),
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      await send(admins[0], 'PATCH', '', { role: null, status: 'active' });
      await takeEvents();
      for (const [kind, decide] of Object.entries(causes)) {
        const decided = decide();
        await Promise.race(decided);
        const events = await takeEvents();
        await Promise.all(decided);
        events.push(...(await takeEvents()));
        expect(
          events.map(([kind]) => kind),
          kind,
        ).toEqual([kind]);
        expect(admins.map(({ userId }) => userId)).toContain(events[0]?.[1]);
      }
    }
  });

  it('do not both stop the other', async () => {
    const ways = [
      { method: 'PATCH', body: { role: null } },
      { method: 'PATCH', body: { status: 'inactive' } },
      { method: 'DELETE' },
    ];
    for (const way of ways) {
      for (let round = 0; round < 5; round += 1) {
        const pair = [await test.personas.admin(), await test.personas.admin()] as const;
        const stop = ({ token }: User, { userId }: User) =>
          test.client().request(`/api/users/${userId}`, { ...way, apiKey: API_KEY, bearer: token });
        const answers = await Promise.all([stop(pair[0], pair[1]), stop(pair[1], pair[0])]);
        const [won, lost] = answers.map(({ status }) => status).sort();
        expect(won).toBe(200);
        expect([401, 403]).toContain(lost);
      }
    }
  });

  it('leave an event as soon as one of them is answered', async () => {
    for (const status of ['inactive', 'active']) {
      await takeEvents();
      await send(admins[0], 'PATCH', '', { status });
      expect(await takeEvents()).toEqual([[status === 'active' ? 'user_enabled' : 'user_disabled', admins[0].userId]]);
    }
  });
});

describe('A decision', () => {
  let test: TestApp;
  let admin: User;
  beforeAll(async () => {
    test = await startTestApp();
    admin = await test.personas.admin();
  });
  afterAll(() => test.close());

  it.each([
    ['announceClosed', 'inactive', 'active', ['reopened', 'closed', 'reopened']],
    ['announceReopened', 'active', 'inactive', ['closed', 'reopened', 'closed']],
  ] as const)(
    'whose opposite is made before it has been announced (%s) does not have the last word, and ends no later session',
    async (held, first, opposite, words) => {
      const owner = await test.personas.confirmed();
      const { userId } = await test.personas.login(owner);
      const decide = async (status: string) => (await admin.api.patch(`/api/users/${userId}`, { status })).status;
      const announcements = test.app.get(AccountAnnouncements, { strict: false });
      await decide(opposite);
      const heard: string[] = [];
      announcements.onClosed(async (closedId) => void (closedId === userId && heard.push('closed')));
      announcements.onReopened(async (reopenedId) => void (reopenedId === userId && heard.push('reopened')));
      const announce = announcements[held].bind(announcements) as (userId: string, reason: 'disabled') => Promise<void>;
      let session: Tokens | undefined;
      announcements[held] = async (id: string) => {
        announcements[held] = announce as never;
        expect(await decide(opposite)).toBe(200);
        if (opposite === 'active') session = await test.personas.login(owner);
        await announce(id, 'disabled');
      };
      expect(await decide(first)).toBe(200);
      expect(heard).toEqual(words);
      if (session) expect((await owner.api.as({ bearer: session.token }).get('/api/profile')).status).toBe(200);
    },
  );

  it.each([
    ['PATCH', '', { role: 'admin' }],
    ['PATCH', '', { status: 'inactive' }],
    ['DELETE', '', undefined],
    ['POST', '/restore', undefined],
  ])(
    '(%s %s %j) does not begin anew because of what others, on another instance too, write after it has begun',
    async (method, path, body) => {
      const { userId } = await test.personas.user();
      const authenticator = test.app.get(Authenticator, { strict: false });
      const assertStillStands = authenticator.assertStillStands.bind(authenticator);
      onTestFinished(() => void (authenticator.assertStillStands = assertStillStands));
      const write = () =>
        test.database
          .collection('auths')
          .updateOne({ user: new Types.ObjectId(userId) }, { $set: { lock: new Types.ObjectId() } });
      let begun = 0;
      let written: Promise<unknown> | undefined;
      authenticator.assertStillStands = async (caller) => {
        begun += 1;
        const account = await assertStillStands(caller);
        written ??= write();
        await Promise.race([written, pause(200)]);
        return account;
      };
      expect((await admin.api.request(`/api/users/${userId}${path}`, { method, body })).status).toBe(200);
      await written;
      expect(begun).toBe(1);
    },
  );
});
