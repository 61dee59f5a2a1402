import type { AuthRecord } from './auth-record.js';

export interface AccountAccess {
  record: AuthRecord;
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
