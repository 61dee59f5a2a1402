import { Injectable } from '@nestjs/common';

type Reason = 'disabled' | 'deleted';
type Listener = (userId: string, reason: Reason) => Promise<void>;

/** How rooms above hear of what happens to accounts here. Whoever announces waits until all have reacted. */
@Injectable()
export class AccountAnnouncements {
  private readonly closedListeners: Listener[] = [];

  /**
   * Calls the listener after an account was disabled or deleted, and before that is answered. Both can be taken back by an
   * administrator. Where a listener fails the request does, and calls all of them again when it is repeated: each has
   * to bear being called twice.
   */
  onClosed(listener: Listener): void {
    this.closedListeners.push(listener);
  }

  async announceClosed(userId: string, reason: Reason): Promise<void> {
    await Promise.all(this.closedListeners.map((listener) => listener(userId, reason)));
  }
}
