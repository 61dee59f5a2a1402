import type { Role } from '../../common/access/index.js';
import type { AccountAccess, AccountFacts, AuthRecord } from '../../security/index.js';
import type { Auth } from './auth.schema.js';
import type { User, UserStatus } from './user.schema.js';

/** The User and Auth documents of an account in one object, with the names used in the code. */
export interface Account {
  userId: string;
  authId: string;
  lastName: string;
  firstName: string;
  username: string;
  email: string;
  passwordHash: string;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
  status: UserStatus;
  role: Role | null;
  confirmedAt: Date | null;
  disabledAt: Date | null;
  credentialVersion: number;
  recoveries: number;
  isPasswordResetRequired: boolean;
}

/** An account of several, which are read without the hashes of their passwords: nobody checks those in a list. */
export type ListedAccount = Omit<Account, 'passwordHash'>;

export interface NewAccount {
  lastName: string;
  firstName: string;
  username: string;
  email: string;
  passwordHash: string;
}

export interface ProfileChange {
  firstName?: string;
  lastName?: string;
  username?: string;
}

export function toAccount(user: User, auth: Auth): Account {
  // To queries a field that is missing is null, as in a document that something else has stored.
  const standing = {
    deletedAt: user.deleted_at ?? null,
    confirmedAt: auth.confirmed_at ?? null,
    disabledAt: auth.disabled_at ?? null,
  };
  return {
    ...standing,
    userId: user._id.toHexString(),
    authId: auth._id.toHexString(),
    lastName: user.last_name,
    firstName: user.first_name,
    username: user.username,
    email: user.email,
    passwordHash: user.password,
    createdAt: user.created_at,
    updatedAt: user.updated_at,
    status: user.status ?? statusOf(standing),
    role: auth.role ?? null,
    credentialVersion: auth.credential_version,
    recoveries: auth.recoveries ?? 0,
    isPasswordResetRequired: auth.password_reset_required ?? false,
  };
}

/** The id of no account: for look-ups that are made in any case, so that their time does not tell whether there is one. */
export const NOBODY = '0'.repeat(24);

/** Neither disabled nor deleted. */
export function isActive(account: Pick<Account, 'deletedAt' | 'disabledAt'>): boolean {
  return account.deletedAt === null && account.disabledAt === null;
}

/** The status that follows from the rest of an account. */
export function statusOf(account: Pick<Account, 'confirmedAt' | 'deletedAt' | 'disabledAt'>): UserStatus {
  if (!isActive(account)) return 'inactive';
  return account.confirmedAt ? 'active' : 'pending';
}

/**
 * Only with a confirmed address. Whoever registered one need not own it: once its owner confirmed it, a stranger's password would be
 * an administrator's.
 */
export function canHaveRole(account: Pick<Account, 'confirmedAt'>): boolean {
  return account.confirmedAt !== null;
}

export function toAuthRecord(account: ListedAccount): AuthRecord {
  return {
    user: {
      _id: account.userId,
      last_name: account.lastName,
      first_name: account.firstName,
      username: account.username,
      email: account.email,
    },
    auth: {
      _id: account.authId,
      role: account.role,
      confirmed_at: account.confirmedAt?.toISOString() ?? null,
    },
  };
}

export function toAccountFacts(account: ListedAccount): AccountFacts {
  return {
    record: toAuthRecord(account),
    dates: {
      created_at: account.createdAt.toISOString(),
      updated_at: account.updatedAt.toISOString(),
      deleted_at: account.deletedAt?.toISOString() ?? null,
    },
  };
}

export function toAccountAccess(account: Account): AccountAccess {
  return {
    ...toAccountFacts(account),
    credentialVersion: account.credentialVersion,
    isActive: isActive(account),
  };
}
