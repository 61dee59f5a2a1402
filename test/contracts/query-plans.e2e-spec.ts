import type { Connection } from 'mongoose';
import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MailsRepository } from '../../src/mail/outbox/mails.repository.js';
import type { TestApp, User } from '../support/index.js';
import { type Command, startMonitoredApp } from '../support/monitored-app.js';

interface Explanation {
  queryPlanner: { winningPlan: unknown };
  executionStats: { nReturned: number; totalKeysExamined: number; totalDocsExamined: number };
}

const READ_AND_CHANGED = ['find', 'aggregate', 'count', 'distinct', 'update', 'delete', 'findAndModify'];
/** What belongs to the connection, not to the query. */
const OF_THE_SESSION = [
  'lsid',
  '$db',
  '$clusterTime',
  '$readPreference',
  'txnNumber',
  'autocommit',
  'startTransaction',
];
const CROWD = 300;
const LIMIT = 20;
const SENDING = 4;

/**
 * Every command that the service sends is caught on its way and explained, on the embedded store and on MongoDB alike:
 * no copy of its queries stands here that could be right while they are wrong.
 */
describe('The database', () => {
  let monitored: Awaited<ReturnType<typeof startMonitoredApp>>;
  let test: TestApp;
  let admin: User;
  let commands: Command[] = [];

  beforeAll(async () => {
    monitored = await startMonitoredApp((name, command) => {
      if (READ_AND_CHANGED.includes(name)) commands.push(command);
    });
    test = monitored.test;
    admin = await test.personas.admin();
    await fill(test.database, admin.userId);
  });
  afterAll(() => monitored.close());

  async function commandsOf(action: () => Promise<unknown>): Promise<Command[]> {
    commands = [];
    await action();
    return commands.filter((command) => 'find' in command || 'aggregate' in command || 'count' in command);
  }

  async function explain(command: Command): Promise<Explanation> {
    const explained = Object.fromEntries(Object.entries(command).filter(([name]) => !OF_THE_SESSION.includes(name)));
    const answer = await test.database.db?.command({ explain: explained, verbosity: 'executionStats' });
    const stages = answer?.['stages'] as { $cursor: Explanation }[] | undefined;
    return stages?.[0]?.$cursor ?? (answer as unknown as Explanation);
  }

  async function expectNoScan(command: Command): Promise<Explanation> {
    const explanation = await explain(command);
    // The size of a whole collection is known, and asking for it reads nothing.
    const isSize = 'count' in command && !('query' in command && Object.keys(command['query'] as object).length > 0);
    if (!isSize) expect(JSON.stringify(explanation.queryPlanner.winningPlan), said(command)).not.toContain('COLLSCAN');
    return explanation;
  }

  const lists = [
    ['accounts', '/api/users?'],
    ['accounts of one status', '/api/users?status=active&'],
    ['accounts by the beginning of a name', '/api/users?search=crowd_0&'],
    ['accounts of one status by the beginning of a name', '/api/users?search=crowd_0&status=inactive&'],
    ['accounts by the beginning of an address', '/api/users?search=by_address&'],
    ['one’s own logins', '/api/login-history?'],
    ['an account’s logins', '/api/users/:id/login-history?'],
    ['security events', '/api/security-events?'],
    ['security events of one kind', '/api/security-events?kind=authn_logout&'],
    ['security events of one account', '/api/security-events?user=:id&'],
    ['security events of one kind and account', '/api/security-events?user=:id&kind=authn_logout&'],
    ['security events by one account', '/api/security-events?by=:id&'],
    ['security events of a time', '/api/security-events?since=:then&until=:now&'],
    ['security events of one account and time', '/api/security-events?user=:id&since=:then&until=:now&'],
    ['security events of one kind, account and time', '/api/security-events?user=:id&kind=authn_logout&until=:now&'],
  ] as const;

  it.each(lists)('finds a page of %s without a look at anything else', async (_what, path) => {
    const sent = await commandsOf(async () => {
      const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
      const named = path.replace(':id', admin.userId).replace(':then', ago(500)).replace(':now', ago(100));
      const { status, body } = await admin.api.get(`${named}limit=${LIMIT}`);
      expect(status).toBe(200);
      expect(body.data.content).toHaveLength(LIMIT);
    });
    expect(sent.length).toBeGreaterThan(1);
    expect(sent.some((command) => 'find' in command)).toBe(true);
    for (const command of sent) {
      const { queryPlanner, executionStats } = await expectNoScan(command);
      if (!('find' in command)) continue;
      const { nReturned, totalDocsExamined, totalKeysExamined } = executionStats;
      expect(JSON.stringify(queryPlanner.winningPlan), said(command)).not.toContain('"SORT"');
      expect(totalDocsExamined, said(command)).toBeLessThanOrEqual(nReturned);
      // Looking for several values, a reader takes one entry more of each, to see that there is no other.
      expect(totalKeysExamined, said(command)).toBeLessThanOrEqual(2 * nReturned + 1);
    }
  });

  it('counts no more of a long list than the next thousand', async () => {
    const sent = await commandsOf(() => admin.api.get('/api/users?status=active'));
    const count = sent.find((command) => 'aggregate' in command);
    expect(count?.['pipeline']).toContainEqual({ $limit: LIMIT + 1_000 });
  });

  it('has an index for every query and every change of a person’s whole story', async () => {
    commands = [];
    const person = await test.personas.user();
    const { email, password } = person.registration;
    await person.client.post('/auth/login', { login: person.registration.username, password });
    await person.client.post('/auth/refresh-token', { refresh_token: person.refresh_token });
    await person.client.post('/auth/resend-otp', { email });
    await person.api.get('/api/profile');
    await person.api.request('/api/profile', { method: 'PATCH', body: { first_name: 'Augusta' } });
    await person.api.get('/api/login-history/statistics');
    await admin.api.get(`/api/users/${person.userId}`);
    await admin.api.get('/api/users?role=admin');
    await admin.api.request(`/api/users/${person.userId}/login-history`, { method: 'DELETE' });
    await admin.api.request(`/api/users/${person.userId}`, { method: 'PATCH', body: { status: 'inactive' } });
    await admin.api.request(`/api/users/${person.userId}`, { method: 'PATCH', body: { status: 'active' } });
    await admin.api.request(`/api/users/${person.userId}`, { method: 'DELETE' });
    await admin.api.post(`/api/users/${person.userId}/restore`, {});
    await person.client.post('/auth/login', { login: email, password });
    await person.client.post('/auth/forgot-password', { email });
    const { token } = await test.inbox.waitFor(email, 'password-reset');
    const renewed = { password: 'Battery-Staple8@', password_confirmation: 'Battery-Staple8@' };
    expect((await person.client.post('/auth/reset-password', { token, ...renewed })).status).toBe(200);
    const sent = commands;
    expect(sent.length).toBeGreaterThan(30);
    for (const command of sent) {
      const { executionStats } = await expectNoScan(command);
      // A handful of the person’s own, never a share of the crowd.
      expect(executionStats.totalDocsExamined, said(command)).toBeLessThan(10);
    }
  });

  it('reads of the mails only those that are being sent, to see which are due and which have expired', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000);
    const waiting = Array.from({ length: CROWD }, (_, i) => ({
      kind: 'email-verification',
      to_key: `waits${i}@example.com`,
      state: i < SENDING ? 'sending' : 'waiting',
      attempts: 1,
      next_attempt_at: inAnHour,
      leased_until: inAnHour,
      expires_at: inAnHour,
      purge_at: inAnHour,
    }));
    await test.database.collection('mails').insertMany(waiting);
    const mails = test.app.get(MailsRepository);
    commands = [];
    expect(await mails.isAnyDue()).toBe(false);
    expect(await mails.leaseNext()).toBeNull();
    expect(await mails.expireOutdated()).toBe(0);
    expect(commands.length).toBeGreaterThanOrEqual(5);
    for (const command of commands) {
      const { executionStats } = await expectNoScan(command);
      expect(executionStats.totalDocsExamined, said(command)).toBeLessThanOrEqual(SENDING);
    }
    commands = [];
    await mails.countUnsent();
    expect(commands[0]?.['pipeline'], 'for each scrape of the metrics').toContainEqual({ $limit: 10_000 });
    await test.database.collection('mails').deleteMany({ next_attempt_at: inAnHour });
  });
});

function said(command: Command): string {
  return JSON.stringify(command);
}

async function fill(database: Connection, userId: string): Promise<void> {
  const user = new Types.ObjectId(userId);
  const now = new Date();
  const numbers = Array.from({ length: CROWD }, (_, i) => i);
  const name = (i: number) => (i % 2 ? `crowd_0${i}` : `other_${i}`);
  const users = numbers.map((i) => ({
    _id: new Types.ObjectId(),
    first_name: 'Ada',
    last_name: 'Lovelace',
    username: name(i),
    username_key: name(i),
    email: `${i % 2 ? name(i) : `by_address_${i}`}@example.com`,
    email_key: `${i % 2 ? name(i) : `by_address_${i}`}@example.com`,
    password: '',
    created_at: now,
    updated_at: now,
    deleted_at: null,
    status: i % 3 ? 'active' : 'inactive',
  }));
  await database.collection('users').insertMany(users);
  await database.collection('auths').insertMany(users.map(({ _id }) => ({ user: _id, role: null, confirmed_at: now })));
  const owners = numbers.flatMap((i) => [users[i]?._id ?? user, user]);
  await database.collection('login_histories').insertMany(
    owners.map((owner, i) => ({
      user: owner,
      auth: owner,
      ip: '198.51.100.7',
      login_at: new Date(now.getTime() - i * 1000),
      rotated_at: new Date(now.getTime() - i * 1000),
      generation: 0,
      credential_version: 0,
    })),
  );
  await database.collection('security_events').insertMany(
    owners.flatMap((owner, i) =>
      ['authn_logout', 'authn_login_fail'].map((kind) => ({
        kind,
        outcome: 'success',
        at: new Date(now.getTime() - i * 1000),
        user: owner,
        by: owner,
        session: null,
        ip: null,
        request_id: null,
        detail: null,
      })),
    ),
  );
}
