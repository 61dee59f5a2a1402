import { Injectable } from '@nestjs/common';

type Listener = (userId: string) => Promise<void>;

/** How rooms above hear of what happens to accounts here. Whoever announces waits until all have reacted. */
@Injectable()
export class AccountAnnouncements {
  private readonly closedListeners: Listener[] = [];

  /** Calls the listener after an account was disabled or deleted, and before that is answered. */
  onClosed(listener: Listener): void {
    this.closedListeners.push(listener);
  }

  async announceClosed(userId: string): Promise<void> {
    await Promise.all(this.closedListeners.map((listener) => listener(userId)));
  }
}
