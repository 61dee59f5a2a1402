import { ApiError } from '../../common/errors/index.js';
import type { AccountAccess } from './account-reader.js';
import type { StoredSession } from './session-reader.js';

/**
 * Asserts that a session, as storage has it, still lets its account in.
 * @throws ApiError with the reason for which it does not
 */
export function assertStands(
  session: StoredSession,
  account: AccountAccess | null,
  userId: string,
): asserts account is AccountAccess {
  if ('ended' in session) throw new ApiError(session.ended);
  if (!account || session.userId !== userId) throw new ApiError('session_revoked');
  if (!account.isActive) throw new ApiError('account_disabled');
  // A crash between a password change and the end of the account's sessions must not keep these alive.
  if (isOutdated(session, account)) throw new ApiError('password_changed');
}

/** Not written as `<`: what has no version, such as an entry that was taken over from elsewhere, is outdated. */
export function isOutdated(session: StoredSession, account: Pick<AccountAccess, 'credentialVersion'> | null): boolean {
  return !('ended' in session) && account !== null && !(session.credentialVersion >= account.credentialVersion);
}
