import { CommandError } from '../command-error.js';
import { isDocument, splitPath } from '../values/document.js';
import { isNumber, toDouble } from '../values/numbers.js';
import { compare, encode, EMPTY_ARRAY, inverted } from '../values/order.js';
import { leaves } from './leaves.js';
/** Bytes by which documents sort as the specification says. @throws CommandError for a malformed specification */
export function compileSortKey(specification, fold) {
    const fields = Object.entries(specification).map(([path, direction]) => {
        if (isDocument(direction))
            throw new CommandError(2, '$meta sort is not supported by the embedded store: use MongoDB for it');
        const number = isNumber(direction) ? toDouble(direction) : NaN;
        if (number !== 1 && number !== -1)
            throw new CommandError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
        return { parts: splitPath(path), descending: number === -1 };
    });
    return (document) => {
        const keys = fields.map(({ parts, descending }) => {
            const key = encode(representative(leaves(document, parts), descending, fold), fold);
            return descending ? inverted(key) : key;
        });
        return keys.length === 1 ? keys[0] : Buffer.concat(keys);
    };
}
export function sorted(items, keyOf) {
    const keyed = items.map((item) => ({ item, key: keyOf(item) }));
    return keyed.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ item }) => item);
}
/** An array sorts by its smallest element, or by its largest where the order is descending. */
function representative(found, descending, fold) {
    const values = found.flatMap((leaf) => (Array.isArray(leaf) ? (leaf.length > 0 ? leaf : [EMPTY_ARRAY]) : [leaf]));
    if (values.length <= 1)
        return values[0];
    return values.reduce((best, value) => (compare(value, best, fold) < 0 !== descending ? value : best));
}
//# sourceMappingURL=sort.js.map