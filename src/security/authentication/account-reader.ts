import type { AccountDates } from './account-dates.js';
import type { AuthRecord } from './auth-record.js';

/** The part of an account that is cached. */
export interface AccountFacts {
  record: AuthRecord;
  dates: AccountDates;
}

export interface AccountAccess extends AccountFacts {
  /** Incremented by each change of the password; sessions of an older version have ended. */
  credentialVersion: number;
  /** False once disabled or deleted. */
  isActive: boolean;
}

/** Port: how the guards learn about accounts. `users` provides it; this module knows no feature. */
export abstract class AccountReader {
  /** Reads storage, never a cache. @returns null when there is no such account. */
  abstract readAccess(userId: string): Promise<AccountAccess | null>;

  /** The same in a transaction that must not commit if role, password or status are changed meanwhile. */
  abstract lockAccess(userId: string): Promise<AccountAccess | null>;
}
