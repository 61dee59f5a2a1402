import { compileFilter } from '../query/filter.js';
import { compileSortKey, sorted } from '../query/sort.js';
import { documentKey, documentRange, recordIdOf } from '../storage/keys.js';
import { decode } from '../values/decode.js';
import { plan, planSort } from './planner.js';
export class StoredRecord {
    id;
    bytes;
    decoded;
    constructor(id, bytes) {
        this.id = id;
        this.bytes = bytes;
    }
    /** Decoded when it is first looked at: many queries only hand the bytes on, or count. */
    get document() {
        return (this.decoded ??= decode(this.bytes));
    }
}
/** The matching records, in the order asked for, after skip and limit. Bad filters throw even without a collection. */
export function findRecords(view, collection, query) {
    const { sort, skip = 0, limit = 0 } = query;
    const sortKey = sort && Object.keys(sort)[0] !== '$natural' && Object.keys(sort).length > 0 && compileSortKey(sort, query.fold);
    const matches = compileFilter(query.filter, query);
    if (!collection)
        return [];
    const planned = plan(collection, query.filter, query);
    const inOrder = sortKey && !planned && limit > 0 ? planSort(collection, sort, query) : undefined;
    const matching = matchingAmong(candidates(view, collection, planned ?? inOrder), query.filter, matches);
    const end = limit === 0 ? Infinity : skip + limit;
    if (sortKey && !inOrder)
        return sorted([...matching], ({ document }) => sortKey(document)).slice(skip, end);
    const found = [];
    let position = 0;
    for (const record of matching) {
        if (position++ >= skip)
            found.push(record);
        if (position >= end)
            break;
    }
    return found;
}
/** How many findRecords() would find. It keeps none of them: there may be millions. */
export function countRecords(view, collection, query) {
    const { skip = 0, limit = 0 } = query;
    const end = limit === 0 ? Infinity : skip + limit;
    let count = 0;
    for (const _record of matchingRecords(view, collection, query))
        if (++count >= end)
            break;
    return Math.max(0, count - skip);
}
/** Not to be kept open across a write. */
export function matchingRecords(view, collection, query) {
    const matches = compileFilter(query.filter, query);
    if (!collection)
        return [];
    const planned = plan(collection, query.filter, query);
    return matchingAmong(candidates(view, collection, planned), query.filter, matches);
}
function* matchingAmong(records, filter, matches) {
    const isOpen = Object.keys(filter).length === 0;
    for (const record of records)
        if (isOpen || matches(record.document))
            yield record;
}
/** An index may lead to a document several times, and to documents the filter refuses. */
function* candidates(view, collection, planned) {
    if (!planned) {
        for (const { key, value } of view.range(...documentRange(collection.id))) {
            yield new StoredRecord(recordIdOf(key), value);
        }
        return;
    }
    const seen = new Set();
    for (const [from, to] of planned.ranges) {
        for (const { value } of view.range(from, to, planned.isReverse)) {
            const id = recordIdOf(value);
            if (seen.has(id))
                continue;
            seen.add(id);
            const bytes = view.get(documentKey(collection.id, id));
            if (bytes)
                yield new StoredRecord(id, bytes);
        }
    }
}
//# sourceMappingURL=find.js.map