import { Binary, BSONRegExp, BSONSymbol, Code, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { CommandError } from '../command-error.js';
import { isDocument } from '../values/document.js';
import { isNumber, numberType, toDouble } from '../values/numbers.js';
const TYPE_NUMBERS = {
    double: 1,
    string: 2,
    object: 3,
    array: 4,
    binData: 5,
    undefined: 6,
    objectId: 7,
    bool: 8,
    date: 9,
    null: 10,
    regex: 11,
    dbPointer: 12,
    javascript: 13,
    symbol: 14,
    javascriptWithScope: 15,
    int: 16,
    timestamp: 17,
    long: 18,
    decimal: 19,
    minKey: -1,
    maxKey: 127,
};
/** The alias MongoDB has for a value's type, e.g. `objectId`. */
export function typeName(value) {
    if (value === undefined)
        return 'missing';
    if (value === null)
        return 'null';
    if (isNumber(value))
        return numberType(value);
    if (typeof value === 'string')
        return 'string';
    if (typeof value === 'boolean')
        return 'bool';
    if (value instanceof Date)
        return 'date';
    if (Array.isArray(value))
        return 'array';
    if (value instanceof ObjectId)
        return 'objectId';
    if (value instanceof Binary)
        return 'binData';
    if (value instanceof BSONRegExp || value instanceof RegExp)
        return 'regex';
    if (value instanceof Timestamp)
        return 'timestamp';
    if (value instanceof Code)
        return value.scope ? 'javascriptWithScope' : 'javascript';
    if (value instanceof BSONSymbol)
        return 'symbol';
    if (value instanceof MinKey)
        return 'minKey';
    if (value instanceof MaxKey)
        return 'maxKey';
    return isDocument(value) ? 'object' : 'undefined';
}
/** Test for `$type`. @throws CommandError 2 for a type that does not exist */
export function typeTest(operand) {
    const names = new Set((Array.isArray(operand) ? operand : [operand]).flatMap(namesOf));
    return (value) => value !== undefined && names.has(typeName(value));
}
function namesOf(type) {
    if (type === 'number')
        return ['int', 'long', 'double', 'decimal'];
    if (typeof type === 'string' && Object.hasOwn(TYPE_NUMBERS, type))
        return [type];
    const number = isNumber(type) ? toDouble(type) : NaN;
    const name = Object.keys(TYPE_NUMBERS).find((candidate) => TYPE_NUMBERS[candidate] === number);
    if (!name)
        throw new CommandError(2, `Unknown type name or number: ${String(type)}`);
    return [name];
}
//# sourceMappingURL=type-names.js.map