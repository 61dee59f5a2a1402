import { Long } from 'bson';
import { CommandError } from '../command-error.js';
import { retryableWriteKey, RETRYABLE_WRITE_RANGE } from '../storage/keys.js';
import type { View, WritableView } from '../storage/view.js';
import { decode } from '../values/decode.js';
import { isDocument, toBytes, type Document } from '../values/document.js';
import { SESSION_LIFETIME_MS } from './sessions.js';

/**
 * Replies to retryable writes, stored in the commit of the write itself: a client that lost the connection, or the
 * whole server, between the commit and the reply asks again and is told what happened, instead of writing twice.
 */
export class Retries {
  constructor(private readonly now: () => Date) {}

  /** Does a write, or gives the reply that it got before. @throws CommandError 225 when the session has moved on */
  once<T extends Document | Buffer>(view: WritableView, session: string, number: bigint, write: () => T): T {
    const known = this.find(view, session, number);
    if (known) return known as T;
    const reply = write();
    if (isDocument(reply)) this.remember(view, session, number, reply);
    return reply;
  }

  /** The reply already given to this write. @throws CommandError 225 when the session has moved on */
  find(view: View, session: string, number: bigint): Document | undefined {
    const stored = view.get(retryableWriteKey(session));
    if (!stored) return undefined;
    const { number: last, reply } = decode(stored) as { number: Long; reply: Document };
    const known = last.toBigInt();
    if (known <= number) return known === number ? reply : undefined;
    throw new CommandError(225, `Retryable write with txnNumber ${number} is prohibited, the session is at ${known}`);
  }

  remember(view: WritableView, session: string, number: bigint, reply: Document): void {
    view.put(retryableWriteKey(session), toBytes({ number: Long.fromBigInt(number), at: this.now(), reply }));
  }

  isKnown(view: View, session: string): boolean {
    return view.get(retryableWriteKey(session)) !== undefined;
  }

  forget(view: WritableView, session: string): void {
    view.del(retryableWriteKey(session));
  }

  forgetExpired(view: WritableView): void {
    const oldest = this.now().getTime() - SESSION_LIFETIME_MS;
    for (const { key, value } of view.range(...RETRYABLE_WRITE_RANGE)) {
      if ((decode(value).at as Date).getTime() < oldest) view.del(key);
    }
  }
}
