import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/common/errors/index.js';
import { Transactions } from '../../src/infrastructure/database/index.js';
import { Authenticator } from '../../src/security/index.js';
import { AccountAnnouncements, AccountsRepository } from '../../src/users/index.js';
import { newRegistration, PASSWORD, startTestApp, type TestApp } from '../support/index.js';

describe('A module that hears of accounts', () => {
  let test: TestApp;
  let announcements: AccountAnnouncements;
  beforeAll(async () => {
    test = await startTestApp({ env: { AUTH_RATE_LIMIT: '1000' } });
    announcements = test.app.get(AccountAnnouncements);
    test.database.model('Workspace', new test.database.base.Schema({ owner: String, state: String }));
    await test.database.model('Workspace').createCollection();
  });
  afterAll(() => test.close());

  const workspaces = () => test.database.model('Workspace');
  const statesOf = async (owner: string) => (await workspaces().find({ owner })).map(({ state }) => state as string);

  it('writes with the registration, and with the confirmation, or not at all', async () => {
    const failing = new Set(['registered', 'confirmed']);
    announcements.onRegistered(async ({ userId, email }) => {
      if (!email.startsWith('first_')) return;
      await workspaces().create({ owner: userId, state: 'registered' });
      if (failing.delete('registered')) throw ApiError.invalidField('email', 'not for now');
    });
    announcements.onConfirmed(async ({ userId, email }) => {
      if (!email.startsWith('first_')) return;
      await workspaces().create({ owner: userId, state: 'confirmed' });
      if (failing.delete('confirmed')) throw new Error('for once');
    });
    const registration = newRegistration();
    registration.email = `first_${registration.email}`;
    const client = test.client();
    expect((await client.post('/auth/register', registration)).body.errors).toEqual([
      { field: 'email', message: 'not for now' },
    ]);
    expect(await workspaces().countDocuments()).toBe(0);
    expect((await client.post('/auth/register', registration)).status).toBe(201);
    const { otp } = await test.inbox.waitFor(registration.email, 'email-verification');
    const verify = () => client.post('/auth/verify-otp', { email: registration.email, otp });
    expect((await verify()).status).toBe(500);
    expect((await verify()).status).toBe(200);
    const login = await client.post('/auth/login', { login: registration.email, password: PASSWORD });
    expect(await statesOf(login.body.data.user._id)).toEqual(['registered', 'confirmed']);
  });

  it('hears of a reported login, which is locked out whatever the module makes of it', async () => {
    const ada = await test.personas.user();
    const heard: string[] = [];
    announcements.onReported(() => Promise.reject(new Error('always')));
    announcements.onReported(async (userId) => {
      await workspaces().create({ owner: userId, state: 'frozen' });
      heard.push((await ada.api.get('/api/profile')).body.code);
    });
    const report = () =>
      ada.client.post('/auth/its-not-me', { refresh_token: ada.refresh_token }, { bearer: ada.token });
    expect((await report()).status).toBe(200);
    expect(heard).toEqual(['reported_not_me']);
    expect(await statesOf(ada.userId)).toEqual(['frozen']);
    expect((await report()).status).toBe(401);
    expect(heard.length).toBe(1);
  });

  it('hears once of a login that is reported several times at the same moment', async () => {
    const { client, refresh_token, token, userId } = await test.personas.user();
    const heard: string[] = [];
    announcements.onReported(async (reportedId) => void heard.push(reportedId));
    const report = () => client.post('/auth/its-not-me', { refresh_token }, { bearer: token });
    const reports = await Promise.all([report(), report(), report()]);
    expect(reports.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
    expect(heard).toEqual([userId]);
  });

  it('hears of a report whose answer failed after the lockdown, which cannot be repeated', async () => {
    const { client, refresh_token, token, userId } = await test.personas.user();
    const heard: string[] = [];
    announcements.onReported(async (reportedId) => void heard.push(reportedId));
    const authenticator = test.app.get(Authenticator);
    const forgetAccount = authenticator.forgetAccount.bind(authenticator);
    authenticator.forgetAccount = () => {
      authenticator.forgetAccount = forgetAccount;
      return Promise.reject(new Error('for once'));
    };
    const report = () => client.post('/auth/its-not-me', { refresh_token }, { bearer: token });
    expect((await report()).status).toBe(500);
    expect(heard).toEqual([userId]);
    expect((await report()).body.code).toBe('reported_not_me');
    expect(heard).toEqual([userId]);
  });

  it('changes what is its own and an account together, or neither', async () => {
    const [ada, bob] = [await test.personas.user(), await test.personas.user()];
    const [transactions, accounts] = [test.app.get(Transactions), test.app.get(AccountsRepository)];
    const rename = (username: string) =>
      transactions.run(async () => {
        await workspaces().create({ owner: ada.userId, state: username });
        return accounts.changeProfile(ada.userId, { username });
      });
    await expect(rename(bob.registration.username)).rejects.toMatchObject({ code: 'validation_failed' });
    expect(await statesOf(ada.userId)).toEqual([]);

    const username = `${ada.registration.username}_2`;
    expect(await rename(username)).toMatchObject({ username, email: ada.registration.email });
    await test.app.get(Authenticator).forgetAccount(ada.userId);
    expect(await statesOf(ada.userId)).toEqual([username]);
    expect((await ada.api.get('/api/profile')).body.data.username).toBe(username);
  });

  it('goes on after a commit, in which a failure undoes nothing and fails nobody', async () => {
    const transactions = test.app.get(Transactions);
    const order: string[] = [];
    const run = transactions.run(async () => {
      await workspaces().create({ owner: 'after', state: 'written' });
      transactions.afterCommit(() => {
        throw new Error('at once');
      });
      transactions.afterCommit(() => Promise.reject(new Error('later')));
      transactions.afterCommit(async () => {
        order.push(...(await statesOf('after')));
      });
      return 'done';
    });
    expect(await run).toBe('done');
    await expect.poll(() => order).toEqual(['written']);
  });
});
