import type { AccountDates } from './account-dates.js';
import type { AuthRecord } from './auth-record.js';

/** What the cache holds of an account. */
export interface AccountFacts {
  record: AuthRecord;
  dates: AccountDates;
}

export interface AccountAccess extends AccountFacts {
  /** Grows with each change of the credential; sessions of an older version are dead. */
  credentialVersion: number;
  /** False once disabled or deleted. */
  isActive: boolean;
}

/** Port: how the guards learn about accounts. `users` provides it; this room knows no feature. */
export abstract class AccountReader {
  /** Reads storage, never a cache. @returns null when there is no such account. */
  abstract readAccess(userId: string): Promise<AccountAccess | null>;
}
