import { Injectable } from '@nestjs/common';

type Reason = 'disabled' | 'deleted';
type ClosedListener = (userId: string, reason: Reason) => Promise<void>;
type ReopenedListener = (userId: string) => Promise<void>;

/** How rooms above hear of what happens to accounts here. Whoever announces waits until all have reacted. */
@Injectable()
export class AccountAnnouncements {
  private readonly closedListeners: ClosedListener[] = [];
  private readonly reopenedListeners: ReopenedListener[] = [];

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

  async announceClosed(userId: string, reason: Reason): Promise<void> {
    await Promise.all(this.closedListeners.map((listener) => listener(userId, reason)));
  }

  async announceReopened(userId: string): Promise<void> {
    await Promise.all(this.reopenedListeners.map((listener) => listener(userId)));
  }
}
