import { CommandError } from '../command-error.js';
import { compileFilter } from '../query/filter.js';
import { indexRange } from '../storage/keys.js';
import { Place } from '../values/place.js';
import { isDocument } from '../values/document.js';
import { encode, RANK, rankOf } from '../values/order.js';
import { demandsOf, impliesPresence, limitBounds, operandsOf, pointBounds, } from './bounds.js';
import { LONGEST_VALUES } from './index-entries.js';
const MOST_RANGES = 1000;
const HIGHEST = Buffer.from([0xff]);
/** The best index for a filter, or undefined where the whole collection has to be read. */
export function plan(collection, filter, options = {}) {
    const candidates = hinted(collection, options.hint);
    const demands = demandsOf(filter);
    let best;
    for (const index of candidates) {
        if (!isUsable(index, filter, demands, options))
            continue;
        const found = boundsFor(index, demands);
        if (found && found.score > (best?.score ?? 0)) {
            best = { score: found.score, plan: { index, ranges: found.bounds.map((bounds) => keyRange(index, bounds)) } };
        }
    }
    return best?.plan ?? hintedOrder(collection, options.hint, candidates);
}
/** A hint also asks for the order of its index; one that lacks documents cannot give it. */
function hintedOrder(collection, hint, [index]) {
    if (!index || !hint || index.isSparse || index.partialFilter || index === collection.indexes[0])
        return undefined;
    return { index, ranges: [indexRange(index.id)] };
}
/**
 * The index that has all documents in the order of a sort by one top-level field. Values that only differ after their first
 * 1,860 bytes are in no particular order in it.
 */
export function planSort(collection, sort, options) {
    const [[path, direction] = [''], another] = Object.entries(sort);
    if (another || (options.hint !== undefined && options.hint !== null))
        return undefined;
    const index = collection.indexes.find(({ fields, isSparse, partialFilter, fold, specification }) => fields.length === 1 &&
        fields[0]?.path === path &&
        fields[0].parts.length === 1 &&
        !(isSparse || partialFilter || fold || options.fold || specification['hidden'] === true));
    if (!index)
        return undefined;
    const isReverse = (Number(direction) === -1) !== index.fields[0]?.descending;
    return { index, ranges: [indexRange(index.id)], isReverse };
}
function hinted(collection, hint) {
    if (hint === undefined || hint === null || hint === '')
        return collection.indexes;
    if (isDocument(hint) && '$natural' in hint)
        return [];
    const wanted = collection.indexes.find((index) => isDocument(hint) ? encode(hint).equals(encode(index.specification['key'])) : index.name === hint);
    if (!wanted)
        throw new CommandError(2, 'hint provided does not correspond to an existing index');
    return [wanted];
}
function isUsable(index, filter, demands, options) {
    if (index.specification['hidden'] === true)
        return false;
    const ofFields = index.fields.flatMap(({ path }) => demands.get(path) ?? []);
    if (index.isSparse && !ofFields.some(impliesPresence))
        return false;
    if (index.partialFilter && !implies(filter, demands, index.partialFilter))
        return false;
    const sameCollation = options.hasCollation ? options.hasCollation(index) : !index.fold;
    return sameCollation || !ofFields.flatMap(operandsOf).some(dependsOnCollation);
}
function dependsOnCollation(value) {
    return [RANK.string, RANK.object, RANK.array].includes(rankOf(value));
}
/** Whether every document that the filter accepts is certain to be in a partial index. */
function implies(filter, demands, partialFilter) {
    return Object.entries(partialFilter).every(([key, operand]) => {
        if (key === '$and')
            return operand.every((part) => implies(filter, demands, part));
        if (encode([filter[key]]).equals(encode([operand])) && key in filter)
            return true;
        if (key.startsWith('$'))
            return false;
        const accepts = compileFilter({ [key]: operand });
        return (demands.get(key) ?? []).some((demand) => demand.points && impliesPresence(demand) && demand.points.every((point) => accepts(holding(key, point))));
    });
}
function holding(path, value) {
    const document = {};
    new Place(document, path.split('.')).set(value);
    return document;
}
function boundsFor(index, demands) {
    let prefixes = [Buffer.alloc(0)];
    let score = 0;
    for (let position = 0; position < index.fields.length; position++) {
        const ofField = demands.get(index.fields[position]?.path ?? '') ?? [];
        const points = ofField
            .flatMap((demand) => (demand.points ? [demand.points] : []))
            .sort((a, b) => a.length - b.length)[0];
        if (points && points.length * prefixes.length <= MOST_RANGES) {
            const encoded = pointBounds(index, position, points);
            prefixes = prefixes.flatMap((prefix) => encoded.map((bytes) => Buffer.concat([prefix, bytes])));
            score += 10;
            continue;
        }
        const limit = ofField.find((demand) => demand.limit)?.limit;
        if (!limit)
            break;
        const { from, to } = limitBounds(index, position, limit);
        const bounds = prefixes.map((prefix) => ({ from: Buffer.concat([prefix, from]), to: Buffer.concat([prefix, to]) }));
        return { score: score + 3, bounds };
    }
    if (score === 0)
        return undefined;
    const isExact = score === index.fields.length * 10 && index.isUnique;
    const bounds = prefixes.map((prefix) => ({
        from: prefix,
        to: Buffer.concat([prefix.subarray(0, LONGEST_VALUES), HIGHEST]),
    }));
    return { score: isExact ? 1000 : score, bounds };
}
/** Long values were cut in the index, so bounds are cut as well: they then hold a little more than asked for. */
function keyRange(index, { from, to }) {
    const [prefix] = indexRange(index.id);
    const cutTo = to.length > LONGEST_VALUES ? Buffer.concat([to.subarray(0, LONGEST_VALUES), HIGHEST]) : to;
    return [Buffer.concat([prefix, from.subarray(0, LONGEST_VALUES)]), Buffer.concat([prefix, cutTo])];
}
//# sourceMappingURL=planner.js.map