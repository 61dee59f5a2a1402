import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcrypt';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RefusedError } from '../../src/cli/command.js';
import { Transactions } from '../../src/infrastructure/database/index.js';
import { SecurityEvents } from '../../src/security/index.js';
import { AccountsRepository } from '../../src/users/index.js';
import { NEW_PASSWORD } from '../support/password-resets.js';
import { newRegistration, PASSWORD, type Registration } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const FORMER_PASSWORD = 'theirs';

describe('Accounts of another system', () => {
  let test: TestApp;
  let directory: string;
  beforeAll(async () => {
    test = await startTestApp({ env: { AUTH_RATE_LIMIT: '100000', RATE_LIMIT: '100000' } });
    directory = mkdtempSync(join(tmpdir(), 'accounts-'));
  });
  afterAll(async () => {
    await test.close();
    rmSync(directory, { recursive: true });
  });

  const former = (more: object = {}) => {
    const { last_name, first_name, username, email } = newRegistration();
    return { last_name, first_name, username, email, ...more };
  };
  const hashed = (cost = test.config.passwords.hashCost) => hashSync(FORMER_PASSWORD, cost);
  const importing = (lines: (object | string)[]) => {
    const file = join(directory, 'accounts.jsonl');
    writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
    return test.command('import-accounts', file);
  };
  const refused = async (lines: (object | string)[]) => {
    const error = await importing(lines).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(RefusedError);
    return (error as Error).message.split('\n');
  };
  const login = async ({ username }: Pick<Registration, 'username'>, password: string) =>
    (await test.client().post('/auth/login', { login: username, password })).status;
  const count = (name: string) => test.database.collection(name).countDocuments();

  it('log in with the password that they have, and get no mail', async () => {
    const [here, php, old] = [hashed(), hashed().replace('$2b$', '$2y$'), hashed().replace('$2b$', '$2a$')].map(
      (password_hash) => former({ password_hash }),
    ) as [Registration, Registration, Registration];
    const mailsBefore = await count('mails');
    expect(await importing([here, '', php, `\uFEFF${JSON.stringify(old)}\r`])).toEqual({
      lines: ['Imported: 3, there before: 0'],
      data: { imported: 3, present: 0 },
    });
    for (const one of [here, php, old]) {
      expect(await login(one, FORMER_PASSWORD)).toBe(200);
      expect(await login(one, PASSWORD)).toBe(401);
    }
    expect(await count('mails')).toBe(mailsBefore);
    const stored = await test.database.collection('users').findOne({ email: here.email });
    expect(stored).toMatchObject({ username: here.username, first_name: 'Ada', status: 'active', deleted_at: null });
    const created = { kind: 'user_created', user: stored?._id };
    const event = await test.database.collection('security_events').findOne(created);
    expect(event).toMatchObject({ outcome: 'success', detail: 'cli' });
  });

  it('without a password get one by “Forgot password”', async () => {
    const one = former({ password_hash: null });
    await importing([one]);
    for (const password of [FORMER_PASSWORD, PASSWORD, '']) expect(await login(one, password)).not.toBe(200);
    await test.client().post('/auth/forgot-password', { email: one.email });
    const { token } = await test.inbox.waitFor(one.email, 'password-reset');
    const body = { token, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
    expect((await test.client().post('/auth/reset-password', body)).status).toBe(200);
    expect(await login(one, NEW_PASSWORD)).toBe(200);
  });

  it('are imported once, however often it is tried, and with what is new', async () => {
    const [known, added] = [former({ password_hash: hashed() }), former()];
    await importing([known]);
    const before = await test.database.collection('users').findOne({ email: known.email });
    const again = { ...known, email: known.email.toUpperCase(), first_name: 'Grace', password_hash: null };
    expect((await importing([again, added])).data).toEqual({ imported: 1, present: 1 });
    expect(await test.database.collection('users').findOne({ email: known.email })).toEqual(before);
  });

  it('are all left where they are if the file has a mistake, of which each is told', async () => {
    // What others have done before is stored a moment later.
    await test.app.get(SecurityEvents, { strict: false }).flush();
    const before = await Promise.all(['users', 'auths', 'security_events'].map(count));
    const good = former({ password_hash: hashed() });
    const problems = await refused([
      good,
      '{',
      '[]',
      '"text"',
      former({ username: 'no one', email: 'nobody' }),
      former({ role: 'admin' }),
      former({ toString: 'x' }),
      former({ password_hash: PASSWORD }),
      former({ password_hash: hashed(5) }),
      former({ username: good.username.toUpperCase() }),
      former({ email: good.email.toUpperCase() }),
      { email: 'ada@example.com' },
    ]);
    expect(problems).toEqual([
      'Line 2: is not JSON',
      'Line 3: body must be a JSON object',
      'Line 4: body must be a JSON object',
      'Line 5: username must have only letters, digits and underscores, email must be a valid e-mail address',
      'Line 6: property role should not exist',
      'Line 7: property toString should not exist',
      'Line 8: password_hash must be a bcrypt hash',
      `Line 9: password_hash must be of cost ${test.config.passwords.hashCost}, and not 5`,
      'Line 10: username or email is on an earlier line, too',
      'Line 11: username or email is on an earlier line, too',
      'Line 12: last_name is required, first_name is required, username is required',
      'Nothing was imported',
    ]);
    expect(await Promise.all(['users', 'auths', 'security_events'].map(count))).toEqual(before);
    const many = await refused(Array.from({ length: 60 }, () => '{'));
    expect(many.slice(-2)).toEqual(['… and 10 more lines', 'Nothing was imported']);
    await expect(test.command('import-accounts', join(directory, 'nothing'))).rejects.toThrow(/nothing cannot be read/);
  });

  it.each([[[]], [['', ' ']]])('are missed where there is none: %j', async (lines) => {
    const file = join(directory, 'accounts.jsonl');
    expect(await refused(lines)).toEqual([`There is no account in ${file}`]);
  });

  it('are refused in a file of another encoding or kind, which is not read to its end', async () => {
    const file = join(directory, 'other');
    const refusalOf = async (content: Buffer) => {
      writeFileSync(file, content);
      return test.command('import-accounts', file).then(
        () => null,
        (error: Error) => error.message.split('\n'),
      );
    };
    const latin1 = Buffer.from(JSON.stringify(former({ first_name: 'José' })), 'latin1');
    expect(await refusalOf(latin1)).toEqual(['Line 1: is not UTF-8', 'Nothing was imported']);
    const long = Buffer.from(`{\n${JSON.stringify(former()).padEnd(65_537)}\n{`);
    expect(await refusalOf(long)).toEqual(['Line 2 has more than 65536 characters', 'Nothing was imported']);
    const image = Buffer.concat([Buffer.from('\n'), Buffer.alloc(50_000_000, 'x')]);
    expect(await refusalOf(image)).toEqual(['Line 2 has more than 65536 characters', 'Nothing was imported']);
    await expect(test.command('import-accounts', directory)).rejects.toThrow(`${directory} cannot be read: EISDIR`);
  });

  it('are read whichever way their lines end', async () => {
    const accounts = Array.from({ length: 500 }, () => former());
    // Longer than what is read at once.
    const text = accounts.map((account) => JSON.stringify({ ...account, first_name: 'Jo'.repeat(50) }));
    const ends = ['\n', '\r\n', '\r', '\r\n\r\n'];
    const file = join(directory, 'ends.jsonl');
    const refusal = async (content: string) => {
      writeFileSync(file, content);
      return test.command('import-accounts', file).catch((error: Error) => error.message.split('\n')[0]);
    };
    const lines = text.flatMap((line, i) => [line, ends[i % ends.length] as string]);
    expect(await refusal(`\uFEFF${lines.join('')}{`)).toBe('Line 626: is not JSON');
    // One that is cut in two by what is read at once.
    expect(await refusal(`${JSON.stringify(former()).padEnd(65_535)}\r\n{`)).toBe('Line 2: is not JSON');
  });

  it('are many, of which it is told ten times how many are there', async () => {
    const file = join(directory, 'many.jsonl');
    writeFileSync(file, Array.from({ length: 1_000 }, () => JSON.stringify(former())).join('\n'));
    const told: string[] = [];
    const { data } = await test.command('import-accounts', file, (line) => told.push(line));
    expect(data).toEqual({ imported: 1_000, present: 0 });
    expect([told.length, told.at(0), told.at(-1)]).toEqual([10, '128 of 1000', '1000 of 1000']);
  });

  it('of which some are there when it breaks off are told of', async () => {
    const accounts = Array.from({ length: 33 }, () => former({ password_hash: hashed() }));
    const { run } = Transactions.prototype;
    onTestFinished(() => void (Transactions.prototype.run = run));
    let calls = 0;
    Transactions.prototype.run = function <T>(this: Transactions, work: () => Promise<T>): Promise<T> {
      calls += 1;
      return calls > 32 ? Promise.reject(new Error('the database is away')) : (run.call(this, work) as Promise<T>);
    };
    const refusal = importing(accounts).catch((error: Error) => error.message.split('\n'));
    expect(await refusal).toEqual([
      'The import broke off: the database is away',
      'Imported before: 32 or some more. Repeat the command: it leaves them as they are',
    ]);
    Transactions.prototype.run = run;
    expect((await importing(accounts)).data).toEqual({ imported: 1, present: 32 });
  });

  it('whose username is somebody else’s are told of, and the others imported', async () => {
    const { registration } = await test.personas.confirmed();
    const [clash, other] = [former({ username: registration.username }), former()];
    expect(await refused([clash, other])).toEqual([
      'Line 1: username is already taken',
      'Imported: 1, there before: 0',
    ]);
    expect(await test.database.collection('users').findOne({ email: clash.email })).toBeNull();
    expect((await importing([{ ...clash, username: `${clash.username}_2` }, other])).data).toEqual({
      imported: 1,
      present: 1,
    });
  });

  it('do not give way to a stranger who registered their address and never confirmed it, nor to their code', async () => {
    const stranger = await test.personas.visitor();
    const { email } = stranger.registration;
    const { otp } = await test.inbox.waitFor(email, 'email-verification');
    const owner = former({ email, password_hash: hashed() });
    expect((await importing([owner])).data).toEqual({ imported: 1, present: 0 });
    expect((await test.client().post('/auth/verify-otp', { email, otp })).status).toBe(400);
    expect(await login(stranger.registration, PASSWORD)).toBe(401);
    expect(await login(owner, FORMER_PASSWORD)).toBe(200);
  });

  it('get no code that was on its way to the account that gave way', async () => {
    const registration = newRegistration();
    const { email } = registration;
    await test.client().patch('/dev/faults', { smtp: 'down' });
    expect((await test.client().post('/auth/register', registration)).status).toBe(201);
    expect((await importing([former({ email })])).data).toEqual({ imported: 1, present: 0 });
    await test.client().delete('/dev/faults');
    expect(await test.database.collection('mails').findOne({ to: email })).toBeNull();
  });

  it('were there before, if their address is confirmed at that moment', async () => {
    const { registration } = await test.personas.visitor();
    const { email } = registration;
    const { otp } = await test.inbox.waitFor(email, 'email-verification');
    const find = AccountsRepository.prototype.findByEmail;
    onTestFinished(() => {
      AccountsRepository.prototype.findByEmail = find;
    });
    AccountsRepository.prototype.findByEmail = async function (address) {
      AccountsRepository.prototype.findByEmail = find;
      const found = await find.call(this, address);
      expect((await test.client().post('/auth/verify-otp', { email, otp })).status).toBe(200);
      return found;
    };
    expect((await importing([former({ email })])).data).toEqual({ imported: 0, present: 1 });
  });

  it('come through a pipe, too', async () => {
    const [one, pipe] = [former(), join(directory, 'pipe')];
    execFileSync('mkfifo', [pipe]);
    const [{ data }] = await Promise.all([test.command('import-accounts', pipe), writeFile(pipe, JSON.stringify(one))]);
    expect(data).toEqual({ imported: 1, present: 0 });
  });

  it('leave a disabled account of that address as it is', async () => {
    const { registration } = await test.personas.visitor();
    const { email } = registration;
    await test.database.collection('users').updateOne({ email }, { $set: { deleted_at: test.clock.now() } });
    expect((await importing([former({ email })])).data).toEqual({ imported: 0, present: 1 });
  });
});
