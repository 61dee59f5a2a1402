import { Injectable, Logger } from '@nestjs/common';
import type { Account } from './account.js';

type Reason = 'disabled' | 'deleted';
type AccountListener = (account: Account) => Promise<void>;
type ReportedListener = (userId: string) => Promise<void>;
type ClosedListener = (userId: string, reason: Reason) => Promise<void>;
type ReopenedListener = (userId: string) => Promise<void>;
type ErasedListener = (userId: string, email: string) => Promise<void>;

/** Events of accounts, for modules above this one. An announcement waits until all listeners have reacted. */
@Injectable()
export class AccountAnnouncements {
  private readonly logger = new Logger('Accounts');
  private readonly registeredListeners: AccountListener[] = [];
  private readonly confirmedListeners: AccountListener[] = [];
  private readonly usernameListeners: AccountListener[] = [];
  private readonly reportedListeners: ReportedListener[] = [];
  private readonly closedListeners: ClosedListener[] = [];
  private readonly reopenedListeners: ReopenedListener[] = [];
  private readonly erasedListeners: ErasedListener[] = [];

  /**
   * Calls the listener in the transaction of a registration: what it writes exists exactly if the account does, and if it fails,
   * the registration does. An account that is never confirmed is removed without an event, after a day at most.
   */
  onRegistered(listener: AccountListener): void {
    this.registeredListeners.push(listener);
  }

  /** The same when the address is confirmed, which happens once; the listener gets the account as it was before. */
  onConfirmed(listener: AccountListener): void {
    this.confirmedListeners.push(listener);
  }

  /** The same when the username is changed; the listener gets the account as it is then. */
  onUsernameChanged(listener: AccountListener): void {
    this.usernameListeners.push(listener);
  }

  /**
   * Calls the listener after a login was reported as not the owner's, before the report is answered. The account is locked down
   * already; a failing listener is only logged.
   */
  onReported(listener: ReportedListener): void {
    this.reportedListeners.push(listener);
  }

  /**
   * Calls the listener after an account was disabled or deleted, before the request is answered. An administrator can undo both.
   * If a listener fails, so does the request; when it is repeated, all listeners are called again, so they must be idempotent.
   * Commands close no accounts: those that listen, such as what ends sessions, are not loaded there.
   */
  onClosed(listener: ClosedListener): void {
    this.closedListeners.push(listener);
  }

  /** Like {@link onClosed}, after an account was enabled or restored and is now neither disabled nor deleted. */
  onReopened(listener: ReopenedListener): void {
    this.reopenedListeners.push(listener);
  }

  /**
   * Calls the listener in the transaction in which a deleted account is erased permanently: what it removes is gone exactly if the
   * account is, and if it fails, nothing is erased. Accounts are erased by an operator's command, in a process with the modules of
   * `CliModule` only. It gets the account's address too, for what was stored under it: the account itself is gone.
   */
  onErased(listener: ErasedListener): void {
    this.erasedListeners.push(listener);
  }

  async announceRegistered(account: Account): Promise<void> {
    // One after the other: a transaction cannot run commands in parallel.
    for (const listener of this.registeredListeners) await listener(account);
  }

  async announceConfirmed(account: Account): Promise<void> {
    for (const listener of this.confirmedListeners) await listener(account);
  }

  async announceUsernameChanged(account: Account): Promise<void> {
    for (const listener of this.usernameListeners) await listener(account);
  }

  async announceReported(userId: string): Promise<void> {
    const outcomes = await Promise.allSettled(this.reportedListeners.map((listener) => listener(userId)));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') this.logger.error({ err: outcome.reason }, 'A listener to a report failed');
    }
  }

  async announceClosed(userId: string, reason: Reason): Promise<void> {
    await Promise.all(this.closedListeners.map((listener) => listener(userId, reason)));
  }

  async announceReopened(userId: string): Promise<void> {
    await Promise.all(this.reopenedListeners.map((listener) => listener(userId)));
  }

  async announceErased(userId: string, email: string): Promise<void> {
    for (const listener of this.erasedListeners) await listener(userId, email);
  }
}
