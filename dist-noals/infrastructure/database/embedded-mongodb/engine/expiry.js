import { documentKey, indexRange, recordIdOf } from '../storage/keys.js';
import { leaves } from '../query/leaves.js';
import { decode } from '../values/decode.js';
import { limitBounds } from './bounds.js';
import { removeRecord } from './records.js';
/** So that removing a million of them never keeps other clients waiting for long. */
const MOST_AT_ONCE = 2_000;
/** Removes documents whose time is over by a TTL index. @returns true when there may be more */
export function removeExpired(view, catalogue, now) {
    let hasMore = false;
    for (const collection of catalogue.all()) {
        for (const index of collection.indexes) {
            if (index.expireAfterSeconds === undefined)
                continue;
            const deadline = new Date(now.getTime() - index.expireAfterSeconds * 1000);
            let removed = 0;
            for (const id of expiredIds(view, index, deadline)) {
                const bytes = view.get(documentKey(collection.id, id));
                const document = bytes && decode(bytes);
                if (!document || !isExpired(document, index, deadline))
                    continue;
                removeRecord(view, collection, id, document);
                removed++;
            }
            hasMore ||= removed === MOST_AT_ONCE;
        }
    }
    return hasMore;
}
function expiredIds(view, index, deadline) {
    const [prefix] = indexRange(index.id);
    const { from, to } = limitBounds(index, 0, { isLower: false, value: deadline });
    const ids = new Set();
    for (const { value } of view.range(Buffer.concat([prefix, from]), Buffer.concat([prefix, to]))) {
        if (ids.add(recordIdOf(value)).size === MOST_AT_ONCE)
            break;
    }
    return ids;
}
/** The earliest date of an array counts; a document without a date never expires. */
function isExpired(document, index, deadline) {
    const values = leaves(document, index.fields[0]?.parts ?? []).flat();
    return values.some((value) => value instanceof Date && value.getTime() <= deadline.getTime());
}
//# sourceMappingURL=expiry.js.map