import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from './api-client.js';

export interface InboxEntry {
  _id: string;
  kind: string;
  to: string;
  subject: string;
  otp: string | null;
  token: string | null;
  link: string | null;
  text: string;
  html: string;
}

/** Longer than it takes until the mail of a worker that was killed is taken over. */
const PATIENCE_MS = 25_000;

/** The development inbox, over HTTP. */
export class Inbox {
  constructor(private readonly client: ApiClient) {}

  /** Newest first. */
  async mailsTo(address: string): Promise<InboxEntry[]> {
    const { body } = await this.client.get(`/dev/inbox?to=${encodeURIComponent(address)}`);
    return body.data as InboxEntry[];
  }

  /** Waits until so many mails of a kind have come, and yields the newest of them. */
  async waitFor(address: string, kind: string, count = 1): Promise<InboxEntry> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const mails = (await this.mailsTo(address)).filter((mail) => mail.kind === kind);
      if (mails.length >= count) return mails[0] as InboxEntry;
      if (Date.now() > deadline) throw new Error(`No ${kind} mail came to ${address} (${mails.length} of ${count})`);
      await pause(10);
    }
  }
}
