import { Injectable, Logger } from '@nestjs/common';
import type { Account } from './account.js';

type Reason = 'disabled' | 'deleted';
type AccountListener = (account: Account) => Promise<void>;
type ReportedListener = (userId: string) => Promise<void>;
type ClosedListener = (userId: string, reason: Reason) => Promise<void>;
type ReopenedListener = (userId: string) => Promise<void>;
type ErasedListener = (userId: string) => Promise<void>;

/** How rooms above hear of what happens to accounts. Whoever announces waits until all have reacted. */
@Injectable()
export class AccountAnnouncements {
  private readonly logger = new Logger('Accounts');
  private readonly registeredListeners: AccountListener[] = [];
  private readonly confirmedListeners: AccountListener[] = [];
  private readonly reportedListeners: ReportedListener[] = [];
  private readonly closedListeners: ClosedListener[] = [];
  private readonly reopenedListeners: ReopenedListener[] = [];
  private readonly erasedListeners: ErasedListener[] = [];

  /**
   * Calls the listener in the transaction in which somebody registers: what it writes is there exactly if the account is, and
   * where it fails nobody has registered. An account that is not confirmed goes again without a word, after a day at most.
   */
  onRegistered(listener: AccountListener): void {
    this.registeredListeners.push(listener);
  }

  /** The same when the address is confirmed, which happens once; the account is as it was before. */
  onConfirmed(listener: AccountListener): void {
    this.confirmedListeners.push(listener);
  }

  /**
   * Calls the listener after a login was reported as not its owner's, and before that is answered. The account is locked by
   * then, whatever comes of it: a listener that fails is a line in the log.
   */
  onReported(listener: ReportedListener): void {
    this.reportedListeners.push(listener);
  }

  /**
   * Calls the listener after an account was disabled or deleted, and before that is answered. Both can be taken back by an
   * administrator. Where a listener fails the request does, and calls all of them again when it is repeated: each has
   * to bear being called twice.
   */
  onClosed(listener: ClosedListener): void {
    this.closedListeners.push(listener);
  }

  /** Calls the listener after an account was enabled or restored, if it is neither disabled nor deleted any more; else as {@link onClosed}. */
  onReopened(listener: ReopenedListener): void {
    this.reopenedListeners.push(listener);
  }

  /**
   * Calls the listener in the transaction in which a deleted account is erased for good: what it removes is gone exactly if the
   * account is, and where it fails nothing is erased. An operator's command does that, in a process that has the modules of
   * `CliModule` alone.
   */
  onErased(listener: ErasedListener): void {
    this.erasedListeners.push(listener);
  }

  async announceRegistered(account: Account): Promise<void> {
    // A transaction takes one command after the other.
    for (const listener of this.registeredListeners) await listener(account);
  }

  async announceConfirmed(account: Account): Promise<void> {
    for (const listener of this.confirmedListeners) await listener(account);
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

  async announceErased(userId: string): Promise<void> {
    for (const listener of this.erasedListeners) await listener(userId);
  }
}
