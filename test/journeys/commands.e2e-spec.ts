import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RefusedError } from '../../src/cli/command.js';
import { SessionsRepository } from '../../src/login-history/index.js';
import { SecurityEvents } from '../../src/security/index.js';
import { usesRedis } from '../support/backends.js';
import { MINUTE } from '../support/manual-clock.js';
import { Operator } from '../support/operator.js';
import { API_KEY, type TestApp } from '../support/test-app.js';

describe('An operator’s command', () => {
  let operator: Operator;
  let test: TestApp;
  beforeAll(async () => {
    operator = await Operator.start();
    ({ test } = operator);
  });
  afterAll(() => operator.close());

  it('ends sessions together with its event, or neither', async () => {
    const user = await test.personas.user();
    const events = operator.tool.get(SecurityEvents);
    const { recordWith } = events;
    events.recordWith = () => Promise.reject(new Error('the database is away'));
    await expect(operator.command('revoke-sessions', user.userId)).rejects.toThrow('the database is away');
    events.recordWith = recordWith;
    const sessions = operator.tool.get(SessionsRepository);
    const { deleteAll } = sessions;
    sessions.deleteAll = () => Promise.reject(new Error('the database is away again'));
    await expect(operator.command('revoke-sessions', user.userId)).rejects.toThrow('the database is away again');
    sessions.deleteAll = deleteAll;
    expect((await user.api.get('/api/profile')).status).toBe(200);
    expect(await operator.command('revoke-sessions', user.userId)).toMatchObject({
      data: { user: user.userId, ended: 1 },
    });
    const { body } = await operator.request('GET', `/api/security-events?user=${user.userId}&kind=authn_token_revoked`);
    expect(body.data.content).toMatchObject([{ outcome: 'success', detail: 'cli: all sessions' }]);
  });

  it('that changes a role is recorded, in either direction, and one that changes nothing is not', async () => {
    const { registration, userId } = await test.personas.user();
    for (const name of ['revoke-admin', 'grant-admin', 'grant-admin', 'revoke-admin'])
      await operator.command(name, registration.email);
    const { body } = await operator.request('GET', `/api/security-events?kind=user_role_changed&user=${userId}`);
    expect(body.data.content.map(({ detail }: { detail: string }) => detail)).toEqual(['cli: null', 'cli: admin']);
  });

  it('takes no other role away from who is to be no administrator, and says which one an administrator no longer has', async () => {
    const { registration, userId } = await test.personas.user();
    const auths = test.database.collection('auths');
    await auths.updateOne({ user: new Types.ObjectId(userId) }, { $set: { role: 'support' } });
    const { email } = registration;
    const changed = async (name: string) => {
      const { lines, data } = await operator.command(name, email);
      return [lines, (data as { role: unknown }).role];
    };
    expect(await changed('revoke-admin')).toEqual([
      [`${email} is no administrator any more and still support`],
      'support',
    ]);
    expect(await auths.findOne({ user: new Types.ObjectId(userId) })).toMatchObject({ role: 'support' });
    expect(await changed('grant-admin')).toEqual([[`${email} is an administrator and no longer support`], 'admin']);
    expect(await changed('revoke-admin')).toEqual([[`${email} is no administrator any more`], null]);
  });

  it('gives no role to an account whose address nobody has confirmed, or that is disabled', async () => {
    const { registration } = await test.personas.visitor();
    await expect(operator.command('grant-admin', registration.email)).rejects.toThrow(
      `${registration.email} is pending`,
    );
    const disabled = await test.personas.user();
    await operator.request('PATCH', `/api/users/${disabled.userId}`, { status: 'inactive' });
    const { email } = disabled.registration;
    await expect(operator.command('grant-admin', email)).rejects.toThrow(`${email} is inactive`);
    for (const address of [registration.email, email]) {
      const { body } = await operator.request('GET', `/api/users?search=${address}`);
      expect(body.data.content.map(({ role }: { role: string | null }) => role)).toEqual([null]);
    }
  });

  // Without Redis a service may believe what it has cached for a minute.
  it.runIf(usesRedis)('holds at once for a service that has cached what was before', async () => {
    const user = await test.personas.user();
    const { email } = user.registration;
    const events = async () =>
      (await test.client().get('/api/security-events', { apiKey: API_KEY, bearer: user.token })).status;
    expect(await events()).toBe(403);
    await operator.command('grant-admin', email);
    expect(await events()).toBe(200);
    await operator.command('revoke-admin', email);
    expect(await events()).toBe(403);

    const profile = async (apiKey: string) =>
      (await test.client().get('/api/profile', { apiKey, bearer: user.token })).body.code ?? 'let in';
    const { key: first } = (await operator.command('issue-api-key', 'shop')).data as { key: string };
    expect(await profile(first)).toBe('let in');
    const { key: second } = (await operator.command('rotate-api-key', 'shop')).data as { key: string };
    expect([await profile(first), await profile(second)]).toEqual(['invalid_api_key', 'let in']);
    await operator.command('revoke-api-key', 'shop');
    expect(await profile(second)).toBe('invalid_api_key');

    // Of one that died after the key had gone from storage, whoever repeats it has the beginning of the key alone.
    const { key: third, _id } = (await operator.command('issue-api-key', 'kiosk')).data as { key: string; _id: string };
    expect(await profile(third)).toBe('let in');
    await test.database.collection('api_keys').deleteOne({ _id: new Types.ObjectId(_id) });
    expect(await profile(third)).toBe('let in');
    await expect(operator.command('revoke-api-key', 'kiosk')).rejects.toThrow('no issued API key of the name kiosk');
    await expect(operator.command('revoke-api-key', `ak_${_id}`)).rejects.toThrow(
      `no issued API key that begins with ak_${_id}`,
    );
    expect(await profile(third)).toBe('invalid_api_key');

    expect(await profile(API_KEY)).toBe('let in');
    expect((await operator.command('revoke-sessions', user.userId)).lines).toEqual([`1 session of ${email} ended`]);
    expect(await profile(API_KEY)).toBe('session_revoked');
  });

  it('ends a session that a service has cached, and that at the latest when its refresh token is refused', async () => {
    const user = await test.personas.user();
    const profile = async () =>
      (await test.client().get('/api/profile', { apiKey: API_KEY, bearer: user.token })).body.code ?? 'let in';
    expect(await profile()).toBe('let in');
    await operator.command('revoke-sessions', user.userId);
    const { refresh_token } = user;
    const { body } = await test.client().post('/auth/refresh-token', { refresh_token });
    expect([body.code, await profile()]).toEqual(['session_revoked', 'session_revoked']);
  });

  it('shows an account by address or id, with what happened to it, and no secret', async () => {
    const user = await test.personas.user();
    const { email, username } = user.registration;
    await test.client().post('/auth/login', { login: username, password: 'Wrong-pass1' });
    await test.client().post('/auth/forgot-password', { email });
    const { token } = await test.inbox.waitFor(email, 'password-reset');
    await expect
      .poll(async () => (await operator.command('show-account', user.userId)).lines.join('\n'))
      .toContain('login_fail ');
    const { lines, data } = await operator.command('show-account', email);
    expect(data).toMatchObject({
      user: user.userId,
      username,
      email,
      status: 'active',
      role: null,
      is_password_reset_required: false,
      logins: [{ login_at: expect.any(Date), ip: expect.any(String), device: expect.any(String) }],
      mails: [
        { kind: 'password-reset', state: 'sent', sent_at: expect.any(Date) },
        { kind: 'email-verification', state: 'sent' },
      ],
      events: expect.arrayContaining([
        expect.objectContaining({ kind: 'authn_login_fail', outcome: 'failure', detail: 'invalid_credentials' }),
        expect.objectContaining({ kind: 'email_verified', outcome: 'success' }),
      ]),
    });
    expect(lines[0]).toBe(`${email}  ${user.userId}  ${username}  active`);
    expect(lines).toContainEqual(expect.stringMatching(/^20\S+Z  password-reset  sent  20\S+Z$/));
    const all = JSON.stringify({ lines, data });
    for (const secret of [token, user.token, user.refresh_token, 'sealed', '$2b$', 'sha256'])
      expect(all).not.toContain(secret);
    await expect(operator.command('show-account', username)).rejects.toThrow(RefusedError);
    const visitor = await test.personas.visitor();
    expect((await operator.command('show-account', visitor.registration.email)).lines).toEqual(
      expect.arrayContaining([expect.stringContaining('not confirmed'), 'Logins: none']),
    );
  });

  it('shows the mails to an address without an account, says whether there may be more, and erases them', async () => {
    const { registration } = await test.personas.visitor();
    const { email } = registration;
    const before = await operator.command('show-account', email);
    const { user: userId } = before.data as { user: string };
    expect(before.data).toMatchObject({ first_name: registration.first_name, last_name: registration.last_name });
    // As the database does with accounts that are not confirmed within a day.
    await test.database.collection('users').deleteMany({ email });
    const { lines, data } = await operator.command('show-account', email.toUpperCase());
    expect(data).toEqual({ user: null, mails: [expect.objectContaining({ kind: 'email-verification', to: email })] });
    expect(lines[0]).toBe(`There is no account with the address or id ${email.toUpperCase()}`);
    expect(lines).not.toContainEqual(expect.stringContaining('there may be more'));
    const [mail] = await test.database.collection('mails').find({ to: email }).toArray();
    const { _id: _, ...alike } = mail as object as { _id: unknown };
    await test.database.collection('mails').insertMany(Array.from({ length: 49 }, () => ({ ...alike })));
    expect((await operator.command('show-account', email)).lines.at(-1)).toBe('These are 50; there may be more');

    expect((await operator.command('erase-account', email)).data).toEqual({ user: null, mails: 50 });
    expect(await test.database.collection('mails').countDocuments({ to: email })).toBe(0);
    for (const command of ['show-account', 'erase-account'])
      for (const who of [email, userId]) await expect(operator.command(command, who)).rejects.toThrow(RefusedError);
  });

  it('shows whether an account is disabled or deleted, and since when', async () => {
    const user = await operator.deletedUser();
    const shown = async () => {
      const { lines, data } = await operator.command('show-account', user.userId);
      return { line: lines[1], data };
    };
    expect(await shown()).toMatchObject({
      line: expect.stringMatching(/ {2}deleted {2}20\S+Z$/),
      data: { status: 'inactive', disabled_at: null, deleted_at: expect.any(Date) },
    });
    await operator.request('POST', `/api/users/${user.userId}/restore`);
    await operator.request('PATCH', `/api/users/${user.userId}`, { status: 'inactive' });
    expect(await shown()).toMatchObject({
      line: expect.stringMatching(/ {2}disabled {2}20\S+Z$/),
      data: { status: 'inactive', disabled_at: expect.any(Date), deleted_at: null },
    });
  });

  it('names keys by how they begin, tells when they expire, and where those are that it cannot revoke', async () => {
    const expires_at = new Date(test.clock.nowMs() + MINUTE).toISOString();
    const { body } = await operator.request('POST', '/api/api-keys', { name: 'fair', expires_at });
    const beginning = `ak_${body.data._id}`;
    expect((await operator.command('list-api-keys')).lines).toContain(
      `fair  ${beginning}  last used never  expires ${expires_at}`,
    );
    const { data } = await operator.command('rotate-api-key', beginning);
    expect(data).toMatchObject({ _id: body.data._id, name: 'fair' });
    const whole = (data as { key: string }).key;
    // A name that looks like the beginning of another key shields it from nothing.
    await operator.command('issue-api-key', beginning);
    expect((await operator.command('revoke-api-key', whole)).lines).toEqual([
      `The API key fair was revoked (${beginning})`,
    ]);
    for (const name of ['rotate-api-key', 'revoke-api-key'])
      await expect(operator.command(name, beginning)).rejects.toBeInstanceOf(RefusedError);
    const { name } = test.config.apiKeys[0] as { name: string };
    await expect(operator.command('revoke-api-key', name)).rejects.toThrow(`${name} is a key of API_KEYS`);
  });

  it('lists a mail that waits, and why, and not what is in it', async () => {
    await test.client().patch('/dev/faults', { smtp: 'down' });
    const { registration } = await test.personas.visitor();
    const { email } = registration;
    const reason = 'The mail server does not answer (a fault of the test kit)';
    await expect
      .poll(async () => (await operator.command('list-mails')).lines)
      .toEqual([expect.stringMatching(`^waiting  email-verification  ${email}  since 20\\S+Z  1 attempts  `)]);
    expect((await operator.command('list-mails')).lines[0]).toMatch(`attempts  ${reason}`);
    expect((await operator.command('list-mails')).data).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        kind: 'email-verification',
        to: email,
        state: 'waiting',
        attempts: 1,
        created_at: expect.any(Date),
        next_attempt_at: expect.any(Date),
        expires_at: expect.any(Date),
        last_error: reason,
      },
    ]);
    await test.client().delete('/dev/faults');
  });
});
