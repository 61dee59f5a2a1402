import { Long } from 'bson';
import { CommandError } from '../command-error.js';
import { SESSION_LIFETIME_MS } from './session-lifetime.js';
import { retryableWriteKey, retryableWriteRange } from '../storage/keys.js';
import { decode } from '../values/decode.js';
import { isDocument, toBytes } from '../values/document.js';
/**
 * Replies to retryable writes, stored in the commit of the write itself: a client that lost the connection, or the
 * whole server, between the commit and the reply asks again and is told what happened, instead of writing twice.
 */
export class Retries {
    now;
    constructor(now) {
        this.now = now;
    }
    /** The reply already given to this write. @throws CommandError 225 when the session has moved on */
    find(view, session, number) {
        const stored = view.get(retryableWriteKey(session));
        if (!stored)
            return undefined;
        const { number: last, reply } = decode(stored);
        const known = last instanceof Long ? last.toBigInt() : 0n;
        if (known > number) {
            throw new CommandError(225, `Retryable write with txnNumber ${number} is prohibited, the session is at ${known}`);
        }
        return known === number && isDocument(reply) ? reply : undefined;
    }
    remember(view, session, number, reply) {
        view.put(retryableWriteKey(session), toBytes({ number: Long.fromBigInt(number), at: this.now(), reply }));
    }
    isKnown(view, session) {
        return view.get(retryableWriteKey(session)) !== undefined;
    }
    forget(view, session) {
        view.del(retryableWriteKey(session));
    }
    forgetExpired(view) {
        const oldest = this.now().getTime() - SESSION_LIFETIME_MS;
        for (const { key, value } of Array.from(view.range(...retryableWriteRange()))) {
            const { at } = decode(value);
            if (at instanceof Date && at.getTime() < oldest)
                view.del(key);
        }
    }
}
//# sourceMappingURL=retries.js.map