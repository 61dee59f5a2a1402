import { randomBytes } from 'node:crypto';
import { Long } from 'bson';
import { CommandError } from '../command-error.js';
/** How long a cursor may stay unused before it is closed. */
export const CURSOR_IDLE_MS = 10 * 60_000;
const FIRST_BATCH = 101;
const BATCH_BYTES = 16 * 1024 * 1024;
/** Results that did not fit into one reply. They are kept as they were when the query ran. */
export class Cursors {
    now;
    open = new Map();
    constructor(now) {
        this.now = now;
    }
    first(namespace, documents, options) {
        const size = batchLength(documents, options.size ?? FIRST_BATCH);
        const rest = documents.slice(size);
        if (rest.length === 0 || options.single)
            return { id: Long.ZERO, namespace, documents: documents.slice(0, size) };
        const id = Long.fromBigInt(randomBytes(8).readBigInt64LE() | 1n);
        const { session } = options;
        this.open.set(id.toString(), { namespace, session, rest, usedAt: this.now().getTime() });
        return { id, namespace, documents: documents.slice(0, size) };
    }
    /** @throws CommandError 43 for a cursor that is not, or no longer, open */
    next(id, namespace, size) {
        const cursor = this.open.get(id.toString());
        if (!cursor || cursor.namespace !== namespace)
            throw new CommandError(43, `cursor id ${id.toString()} not found`);
        const documents = cursor.rest.slice(0, batchLength(cursor.rest, size ?? cursor.rest.length));
        cursor.rest = cursor.rest.slice(documents.length);
        cursor.usedAt = this.now().getTime();
        if (cursor.rest.length === 0)
            this.close(id);
        return { id: cursor.rest.length === 0 ? Long.ZERO : id, namespace, documents };
    }
    close(id) {
        return this.open.delete(id.toString());
    }
    closeOfSession(session) {
        for (const [id, cursor] of this.open)
            if (cursor.session === session)
                this.open.delete(id);
    }
    closeIdle() {
        const oldest = this.now().getTime() - CURSOR_IDLE_MS;
        for (const [id, cursor] of this.open)
            if (cursor.usedAt < oldest)
                this.open.delete(id);
    }
    closeAll() {
        this.open.clear();
    }
}
function batchLength(documents, wanted) {
    let bytes = 0;
    let count = 0;
    for (const document of documents) {
        bytes += document.length;
        if (count >= wanted || (count > 0 && bytes > BATCH_BYTES))
            break;
        count++;
    }
    return count;
}
//# sourceMappingURL=cursors.js.map