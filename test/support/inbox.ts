import type { InboxMailDto } from '../../src/dev-tools/index.js';
import type { ApiClient } from './api-client.js';

export type InboxEntry = InboxMailDto;

/** Longer than it takes until the mail of a worker that was killed is taken over. */
const PATIENCE_SECONDS = 25;

/** Where the links of a mail's HTML part lead, in their order. */
export function targetsOf({ html }: InboxEntry): string[] {
  return [...html.matchAll(/href="([^"]*)"/g)].map(([, target]) => (target as string).replaceAll('&#x3D;', '='));
}

/** A code that is not this one, so that a guess is wrong and not only likely to be; `by` names one of several. */
export function wrongCode(otp: string | null | undefined, by = 1): string {
  return String((Number(otp) + by) % 1_000_000).padStart(6, '0');
}

/** The development inbox, over HTTP. */
export class Inbox {
  constructor(private readonly client: ApiClient) {}

  /** Newest first. */
  async mailsTo(address: string): Promise<InboxEntry[]> {
    const { body } = await this.client.get(`/dev/inbox?to=${encodeURIComponent(address)}`);
    return body.data as InboxEntry[];
  }

  /** Waits for the mails of a kind in the order in which they come, and yields the one with this number. */
  async waitFor(address: string, kind: string, count = 1): Promise<InboxEntry> {
    let mail: InboxEntry | undefined;
    for (let number = 1; number <= count; number += 1) mail = await this.next(address, kind, mail?.cursor);
    return mail as InboxEntry;
  }

  private async next(to: string, kind: string, after = 0): Promise<InboxEntry> {
    const wanted = new URLSearchParams({ to, kind, after: String(after), timeout_seconds: String(PATIENCE_SECONDS) });
    const { status, body, text } = await this.client.get(`/dev/inbox/next?${wanted}`);
    if (status !== 200) throw new Error(`No ${kind} mail came to ${to}: ${text}`);
    return body.data as InboxEntry;
  }
}
