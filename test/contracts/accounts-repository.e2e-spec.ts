import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Transactions } from '../../src/infrastructure/database/index.js';
import { AccountsRepository } from '../../src/users/index.js';
import { startTestApp, type TestApp } from '../support/index.js';

const NOBODY = '66f2a1b3c4d5e6f708192a3b';

describe('The repository of accounts', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  it('finds many at once, as they are found one by one, and leaves out who does not exist', async () => {
    const accounts = test.app.get(AccountsRepository);
    const [ada, , eve] = [await test.personas.user(), await test.personas.user(), await test.personas.visitor()];
    const ids = await Promise.all(
      [ada, eve].map(async ({ registration }) => (await accounts.findByEmail(registration.email))?.userId as string),
    );
    const oneByOne = await Promise.all(ids.map((id) => accounts.findById(id)));
    const find = () => accounts.findMany([NOBODY, ...ids, ids[0] as string]);
    const byId = new Map((await find()).map((account) => [account.userId, account]));
    expect(ids.map((id) => byId.get(id))).toEqual(oneByOne);
    expect(byId.size).toBe(2);
    expect(await test.app.get(Transactions).run(find)).toHaveLength(2);
    expect(await accounts.findMany([])).toEqual([]);
  });
});
