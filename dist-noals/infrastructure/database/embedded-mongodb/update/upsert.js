import { ObjectId } from 'bson';
import { CommandError } from '../command-error.js';
import { isOperatorDocument } from '../query/filter.js';
import { copy, isDocument, splitPath } from '../values/document.js';
import { isRegExp } from '../values/regex.js';
import { Place } from '../values/place.js';
/** The document an upsert inserts: what the filter says by equality, then the update, `_id` first. */
export function upsertDocument(filter, update, isReplacement, now) {
    const seed = {};
    seedFrom(filter, seed, isReplacement);
    const document = update(seed, { now, isInsert: true });
    const { _id = new ObjectId(), ...rest } = document;
    return { _id, ...rest };
}
function seedFrom(filter, seed, onlyId) {
    for (const [key, operand] of Object.entries(filter)) {
        if (key === '$and' || (key === '$or' && Array.isArray(operand) && operand.length === 1)) {
            for (const part of operand)
                seedFrom(part, seed, onlyId);
        }
        else if (!key.startsWith('$') && (!onlyId || key === '_id')) {
            const value = valueRequired(operand);
            if (value === undefined)
                continue;
            const place = new Place(seed, splitPath(key));
            if (place.get() !== undefined) {
                throw new CommandError(54, `cannot infer query fields to set, path '${key}' is matched twice`);
            }
            place.set(copy(value));
        }
    }
}
function valueRequired(operand) {
    if (isRegExp(operand))
        return undefined;
    if (!isOperatorDocument(operand))
        return operand;
    if ('$eq' in operand)
        return operand['$eq'];
    const only = operand['$in'] ?? operand['$all'];
    const [value] = Array.isArray(only) && only.length === 1 ? only : [];
    return isRegExp(value) || isDocument(value) ? undefined : value;
}
//# sourceMappingURL=upsert.js.map