import { setTimeout as pause } from 'node:timers/promises';
import { Schema } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/common/errors/index.js';
import { Transactions } from '../../src/infrastructure/database/index.js';
import { AccountQuotas, OneTimeSecrets } from '../../src/security/index.js';
import { OneTimeSecretsRepository } from '../../src/security/one-time-secrets/one-time-secrets.repository.js';
import { AccountsRepository } from '../../src/users/index.js';
import { MINUTE, startTestApp, type TestApp } from '../support/index.js';

const NOBODY = '66f2a1b3c4d5e6f708192a3b';

describe('What modules of one’s own may ask the service for', () => {
  let test: TestApp;
  let transactions: Transactions;
  beforeAll(async () => {
    test = await startTestApp();
    transactions = test.app.get(Transactions);
  });
  afterAll(() => test.close());

  it('are quotas of an account, of which each begins anew by itself', async () => {
    const quotas = test.app.get(AccountQuotas);
    const use = async (what: string, userId: string) =>
      quotas.use(what, userId, { quota: 3, windowMs: MINUTE }).then(
        () => 'allowed',
        ({ code, retryAfterSeconds }: ApiError) => [code, retryAfterSeconds],
      );
    const uses = Promise.all(Array.from({ length: 5 }, () => use('note', NOBODY)));
    const refused = ['too_many_requests', 60];
    expect(await uses).toEqual(['allowed', 'allowed', 'allowed', refused, refused]);
    expect([await use('note', NOBODY.replace('6', '7')), await use('export', NOBODY)]).toEqual(['allowed', 'allowed']);
    await test.advance(MINUTE);
    expect(await use('note', NOBODY)).toBe('allowed');
  });

  it('are transactions within transactions, which are one', async () => {
    const secrets = test.app.get(OneTimeSecretsRepository);
    const acts: string[] = [];
    const issue = async (subject: string) => {
      transactions.afterCommit(() => void acts.push(subject));
      await secrets.replace(subject, 'password_reset', `hash of ${subject}`, MINUTE);
    };
    const [kept, lost] = ['66f2a1b3c4d5e6f708192a3c', '66f2a1b3c4d5e6f708192a3d'];
    await transactions.run(() => transactions.run(() => issue(kept)));
    const failing = transactions.run(async () => {
      await transactions.run(() => issue(lost));
      throw new Error('in the outer one');
    });
    await expect(failing).rejects.toThrow('in the outer one');
    expect((await secrets.reserveTry(kept, 'password_reset'))?.hash).toBe(`hash of ${kept}`);
    expect(await secrets.reserveTry(lost, 'password_reset')).toBeNull();
    expect(acts).toEqual([kept]);
  });

  it('are transactions that wait for each other, of which none is lost, and a failed one stops nobody', async () => {
    const counts = test.database.collection<{ _id: string; value: number }>('counts');
    await counts.insertOne({ _id: 'notes', value: 0 });
    const model = test.database.model('Count', new Schema({ _id: String, value: Number }, { collection: 'counts' }));
    let running = 0;
    const increment = (index: number) =>
      transactions.runInTurn('notes', async () => {
        running += 1;
        const present = await model.findById('notes').lean();
        await model.updateOne({ _id: 'notes' }, { value: (present?.value ?? 0) + 1 });
        expect(running).toBe(1);
        running -= 1;
        if (index === 7) throw new Error('the seventh');
        return transactions.runInTurn('notes', async () => index);
      });
    const ended = await Promise.allSettled(Array.from({ length: 40 }, (_, index) => increment(index)));
    expect(ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))).toHaveLength(39);
    expect(ended[7]).toMatchObject({ status: 'rejected', reason: new Error('the seventh') });
    expect((await counts.findOne({ _id: 'notes' }))?.value).toBe(39);
  });

  it('are refused a turn that does not come in time, and those behind them still wait for it', async () => {
    const ended: string[] = [];
    const inTurn = (name: string, ms: number) =>
      transactions
        .runInTurn('slow', () => pause(ms))
        .then(
          () => ended.push(name),
          (error: ApiError) => ended.push(`${name}: ${error.code}`),
        );
    const first = inTurn('first', 5_000);
    const second = inTurn('second', 0);
    await second;
    expect(ended).toEqual(['second: service_unavailable']);
    await Promise.all([inTurn('third', 0), first]);
    expect(ended).toEqual(['second: service_unavailable', 'first', 'third']);
  });

  it('wait in one queue after the other, so that only the first of one kind is before others in the next', async () => {
    const ended: string[] = [];
    const inTurn = (name: string, ...keys: string[]) =>
      transactions.runInTurn(keys, () => pause(20)).then(() => ended.push(name));
    const many = ['1st', '2nd', '3rd'].map((name) => inTurn(name, 'many', 'shared'));
    await Promise.all([...many, inTurn('another', 'few', 'shared'), inTurn('alone', 'shared')]);
    expect(ended).toEqual(['alone', '1st', 'another', '2nd', '3rd']);
  });

  it('is what follows a commit, at once where the transaction has ended meanwhile', async () => {
    const acts: string[] = [];
    let late = Promise.resolve();
    await transactions.run(async () => {
      late = pause(50).then(() => transactions.afterCommit(() => void acts.push(`within: ${transactions.isRunning}`)));
    });
    await late;
    expect(acts).toEqual(['within: false']);
  });

  it('are many accounts at once, as they are found one by one but without hashes; who does not exist is left out', async () => {
    const accounts = test.app.get(AccountsRepository);
    const [ada, , eve] = [await test.personas.user(), await test.personas.user(), await test.personas.visitor()];
    const ids = await Promise.all(
      [ada, eve].map(async ({ registration }) => (await accounts.findByEmail(registration.email))?.userId as string),
    );
    const oneByOne = await Promise.all(ids.map((id) => accounts.findById(id)));
    const find = () => accounts.findMany([NOBODY, ...ids, ids[0] as string]);
    const byId = new Map((await find()).map((account) => [account.userId, account]));
    const withoutHashes = oneByOne.map((account) => ({ ...account, passwordHash: undefined }));
    expect(ids.map((id) => byId.get(id))).toEqual(withoutHashes);
    expect(byId.size).toBe(2);
    expect(await transactions.run(find)).toHaveLength(2);
    expect(await accounts.findMany([])).toEqual([]);
  });

  it('are codes; each is matched outside of transactions, whose failure would give the try back', async () => {
    const secrets = test.app.get(OneTimeSecrets);
    const otp = await secrets.prepareOtp();
    await transactions.run(() => secrets.issueOtpWithinQuota(NOBODY, 'email_verification', otp));
    const match = (code: string) => secrets.matchOtp(NOBODY, 'email_verification', code);
    await expect(transactions.run(() => match(otp.secret))).rejects.toThrow('before the transaction');
    const found = await match(otp.secret);
    const consumed = Array.from({ length: 4 }, () => transactions.run(async () => found && secrets.consume(found)));
    expect((await Promise.all(consumed)).sort()).toEqual([false, false, false, true]);
    expect(await match(otp.secret)).toBeNull();
  });

  it('are codes of several purposes, each with tries and a quota of its own', async () => {
    const secrets = test.app.get(OneTimeSecretsRepository);
    const issue = (purpose: 'email_verification' | 'password_reset') =>
      transactions.run(() => secrets.replaceWithinQuota(NOBODY, purpose, `hash for ${purpose}`, MINUTE));
    await test.advance(MINUTE);
    expect([await issue('email_verification'), await issue('email_verification')]).toEqual([true, false]);
    expect([await issue('password_reset'), await issue('password_reset')]).toEqual([true, false]);
    for (let tries = 0; tries < 5; tries += 1) {
      expect((await secrets.reserveTry(NOBODY, 'email_verification'))?.hash).toBe('hash for email_verification');
    }
    expect(await secrets.reserveTry(NOBODY, 'email_verification')).toBeNull();
    expect((await secrets.reserveTry(NOBODY, 'password_reset'))?.hash).toBe('hash for password_reset');
  });
});
