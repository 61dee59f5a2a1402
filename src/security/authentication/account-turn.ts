/**
 * The queue of transactions that lock an account, for `Transactions.runInTurn`. Without it, somebody who makes them without end, by
 * logging in from everywhere, would keep the account locked while its owner reports them. Kinds of which one caller can make many
 * have a queue of their own before it, so that of each kind there is one in this queue at a time.
 */
export function accountTurn(userId: string): string {
  return `account:${userId}`;
}
