import { getConnectionToken } from '@nestjs/mongoose';
import { type Connection, Schema } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RefusedError } from '../../src/cli/command.js';
import { Sessions } from '../../src/login-history/index.js';
import { MailsRepository } from '../../src/mail/index.js';
import { AccountAnnouncements } from '../../src/users/index.js';
import { MINUTE } from '../support/manual-clock.js';
import { Operator } from '../support/operator.js';
import type { User } from '../support/personas.js';
import type { TestApp } from '../support/test-app.js';

describe('The operator’s command to erase an account', () => {
  let operator: Operator;
  let test: TestApp;
  beforeAll(async () => {
    operator = await Operator.start();
    ({ test } = operator);
  });
  afterAll(() => operator.close());

  /** Where something of an account is stored. The inbox does not exist in production. */
  const tracesOf = async ({ userId, registration: { username, email } }: User) => {
    const found: string[] = [];
    for (const { name } of await test.database.listCollections()) {
      if (name === 'dev_inbox') continue;
      const all = JSON.stringify(await test.database.collection(name).find().toArray());
      if ([userId, username, email].some((trace) => all.includes(trace))) found.push(name);
    }
    return found.sort();
  };

  it('erases all that is stored of a deleted account, but that it was there, and nothing of others', async () => {
    const other = await test.personas.user();
    const user = await test.personas.user();
    await test.client().post('/auth/forgot-password', { email: user.registration.email });
    await test.inbox.waitFor(user.registration.email, 'password-reset');
    expect((await operator.request('DELETE', `/api/users/${user.userId}`)).status).toBe(200);
    const before = await tracesOf(user);
    for (const name of ['auths', 'known_devices', 'mails', 'one_time_secrets', 'users']) expect(before).toContain(name);
    const ofOther = await tracesOf(other);

    await operator.command('erase-account', user.registration.email);
    // Ended sessions name the account by its id, until no token of theirs can be valid any more.
    expect((await tracesOf(user)).filter((name) => name !== 'ended_sessions')).toEqual(['security_events']);
    const { body } = await operator.request('GET', '/api/security-events?kind=user_erased');
    expect(body.data.content).toMatchObject([{ user: user.userId, outcome: 'success', detail: 'cli' }]);
    expect(await tracesOf(other)).toEqual(ofOther);
  });

  it('erases mails to other spellings of the address, too', async () => {
    const { registration } = await test.personas.visitor({ email: 'Ada.Erased@Example.com' });
    test.clock.advance(11 * MINUTE);
    const email = registration.email.toLowerCase();
    await test.personas.visitor({ email });
    const user = await test.database.collection('users').findOne({ email });
    expect((await operator.request('DELETE', `/api/users/${String(user?._id)}`)).status).toBe(200);
    await operator.command('erase-account', email);
    expect(await test.database.collection('mails').countDocuments({ to: /^ada\.erased@/i })).toBe(0);
  });

  it('erases an account in whole or not at all', async () => {
    const user = await operator.deletedUser();
    const before = await tracesOf(user);
    const mails = operator.tool.get(MailsRepository);
    const { deleteTo } = mails;
    mails.deleteTo = () => Promise.reject(new Error('the database is away'));
    await expect(operator.command('erase-account', user.registration.email)).rejects.toThrow('the database is away');
    mails.deleteTo = deleteTo;
    expect(await tracesOf(user)).toEqual(before);
    expect(
      (await operator.request('GET', '/api/security-events?kind=user_erased')).body.data.content,
    ).not.toContainEqual(expect.objectContaining({ user: user.userId }));
    expect((await operator.request('POST', `/api/users/${user.userId}/restore`)).status).toBe(200);
    await test.personas.login(user);
  });

  it('erases what a module keeps of an account with it, or neither', async () => {
    const [user, other] = [await operator.deletedUser(), await operator.deletedUser()];
    const connection = operator.tool.get<Connection>(getConnectionToken());
    const notes = connection.model('Note', new Schema({ owner: String, to: String }));
    const invitation = { to: user.registration.email };
    await notes.insertMany([{ owner: user.userId }, { owner: other.userId }, invitation]);
    let fails = true;
    operator.tool.get(AccountAnnouncements).onErased(async (userId, email) => {
      if (userId !== user.userId) return;
      await notes.deleteMany({ $or: [{ owner: userId }, { to: email }] });
      if (fails) throw new Error('the module is away');
    });
    const before = await tracesOf(user);
    await expect(operator.command('erase-account', user.registration.email)).rejects.toThrow('the module is away');
    expect(await tracesOf(user)).toEqual(before);

    fails = false;
    await operator.command('erase-account', user.registration.email);
    expect(await notes.find().lean()).toMatchObject([{ owner: other.userId }]);
  });

  it('erases no account that was restored meanwhile', async () => {
    const user = await operator.deletedUser();
    const before = await tracesOf(user);
    const sessions = operator.tool.get(Sessions);
    const { endAll } = sessions;
    sessions.endAll = async (...which) => {
      expect((await operator.request('POST', `/api/users/${user.userId}/restore`)).status).toBe(200);
      return endAll.apply(sessions, which);
    };
    const refusal = operator.command('erase-account', user.registration.email);
    await expect(refusal).rejects.toBeInstanceOf(RefusedError);
    await expect(refusal).rejects.toThrow(`${user.registration.email} was restored meanwhile`);
    sessions.endAll = endAll;
    expect(await tracesOf(user)).toEqual(before);
    await test.personas.login(user);
  });

  it('erases an account once, of which the other one is told', async () => {
    const user = await operator.deletedUser();
    const sessions = operator.tool.get(Sessions);
    const { endAll } = sessions;
    sessions.endAll = async (...which) => {
      sessions.endAll = endAll;
      await operator.command('erase-account', user.userId);
      return endAll.apply(sessions, which);
    };
    await expect(operator.command('erase-account', user.userId)).rejects.toThrow(
      `${user.registration.email} was erased meanwhile`,
    );
    const { body } = await operator.request('GET', `/api/security-events?user=${user.userId}&kind=user_erased`);
    expect(body.data.content).toHaveLength(1);
  });
});
