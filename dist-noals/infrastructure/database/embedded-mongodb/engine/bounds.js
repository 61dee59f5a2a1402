import { MaxKey, MinKey } from 'bson';
import { isOperatorDocument } from '../query/filter.js';
import { isDocument } from '../values/document.js';
import { isNumber, toDouble } from '../values/numbers.js';
import { encode, rankOf } from '../values/order.js';
import { isRegExp } from '../values/regex.js';
import { encodeField } from './index-entries.js';
/** The demands every matching document fulfils: top level and $and. */
export function demandsOf(filter) {
    const demands = new Map();
    collect(filter, demands);
    return demands;
}
function collect(filter, demands) {
    for (const [key, operand] of Object.entries(filter)) {
        if (key === '$and' && Array.isArray(operand)) {
            for (const part of operand)
                if (isDocument(part))
                    collect(part, demands);
        }
        else if (!key.startsWith('$')) {
            const found = isOperatorDocument(operand) ? fromOperators(operand) : pointDemand([operand]);
            demands.set(key, [...(demands.get(key) ?? []), ...found]);
        }
    }
}
function fromOperators(operators) {
    return Object.entries(operators).flatMap(([operator, operand]) => {
        switch (operator) {
            case '$eq':
                return pointDemand([operand]);
            case '$in':
                return Array.isArray(operand) ? pointDemand(operand) : [];
            case '$gt':
            case '$gte':
                return limitDemand(true, operand);
            case '$lt':
            case '$lte':
                return limitDemand(false, operand);
            default:
                return [];
        }
    });
}
function pointDemand(points) {
    // An array operand also matches as an element, a regular expression also matches strings: no single key finds them.
    return points.some((point) => Array.isArray(point) || isRegExp(point)) ? [] : [{ points }];
}
function limitDemand(isLower, value) {
    const isUnusable = value === null ||
        value === undefined ||
        Array.isArray(value) ||
        value instanceof MinKey ||
        value instanceof MaxKey ||
        (isNumber(value) && Number.isNaN(toDouble(value)));
    return isUnusable ? [] : [{ limit: { isLower, value } }];
}
/** True where no field value can be missing or null for the demand to hold. */
export function impliesPresence(demand) {
    return demand.points ? demand.points.every((point) => point !== null && point !== undefined) : true;
}
export function operandsOf(demand) {
    return demand.points ?? [demand.limit?.value];
}
export function pointBounds(index, position, points) {
    const encoded = points.map((point) => encodeField(index, position, point));
    return [...new Map(encoded.map((bytes) => [bytes.toString('latin1'), bytes])).values()];
}
/**
 * Only one limit is ever used: two of them may be met by two different elements of an array.
 */
export function limitBounds(index, position, limit) {
    const value = encodeField(index, position, limit.value);
    const rank = encode(limit.value)[0] ?? rankOf(limit.value);
    const { descending } = index.fields[position] ?? { descending: false };
    const firstOfType = descending ? 0xff - rank : rank;
    const towardsEnd = limit.isLower !== descending;
    return towardsEnd
        ? { from: value, to: Buffer.from([firstOfType + 1]) }
        : { from: Buffer.from([firstOfType]), to: Buffer.concat([value, Buffer.from([0xff])]) };
}
//# sourceMappingURL=bounds.js.map