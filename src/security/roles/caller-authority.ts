import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { currentRequest } from '../../common/http/index.js';
import { Transactions } from '../../infrastructure/database/index.js';
import type { AccountAccess } from '../authentication/account-reader.js';
import { accountTurn } from '../authentication/account-turn.js';
import { Authenticator } from '../authentication/authenticator.js';

interface DecisionOptions {
  about?: string;
  lock?: (() => Promise<unknown>) | undefined;
}

/** What allows the caller of the current request to do what only a role allows. */
@Injectable()
export class CallerAuthority {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly transactions: Transactions,
  ) {}

  /** Whose authority it is; null where no role was needed. */
  get callerId(): string | null {
    return currentRequest()?.authority?.userId ?? null;
  }

  /**
   * Makes a decision of the caller, in one transaction, if they may still decide then. In turn with their other decisions, since each
   * of them locks their session: nobody keeps others from an account by deciding about it again and again.
   * @param work begins again after a write conflict, and must do nothing outside the database
   * @param options `about`: the account that the work locks, if any. `lock`: locks what others write all the time; it begins the
   *   transaction, before storage is asked about the caller
   * @throws ApiError what {@link assertHolds} throws, or `service_unavailable` if conflicts or the database prevent it for 4 s
   */
  async decide<T>(work: () => Promise<T>, { about, lock }: DecisionOptions = {}): Promise<T> {
    const { callerId } = this;
    const decision = async (): Promise<T> => {
      await lock?.();
      await this.assertHolds();
      return work();
    };
    const turns = callerId ? [`decisions:${callerId}`] : [];
    // In the order of their ids, or two administrators who decide about each other would wait for each other.
    for (const id of [...new Set([callerId, about])].sort()) if (id) turns.push(accountTurn(id));
    return this.transactions.runInTurn(turns, decision);
  }

  /**
   * Asks storage again, within the transaction that makes the change. The guard has asked before; but a transaction that meets others
   * begins anew for up to 4 s, and whoever loses the role, the session or the account meanwhile must not undo that with requests
   * that are still under way (ASVS 8.3.2). Where no role was needed (command line, jobs, other routes) nobody is asked.
   * @throws ApiError `role_required`, or 401 with the reason for which session or account let nobody in
   */
  async assertHolds(): Promise<void> {
    const authority = currentRequest()?.authority;
    if (!authority) return;
    assertHasRole(await this.authenticator.assertStillStands(authority), authority.roles);
  }
}

/** @throws ApiError `account_disabled`, or `role_required` if the account has none of the roles */
export function assertHasRole(account: AccountAccess | null, roles: readonly string[]): void {
  if (account && !account.isActive) throw new ApiError('account_disabled');
  const role = account?.record.auth.role;
  if (!role || !roles.includes(role)) throw new ApiError('role_required');
}
