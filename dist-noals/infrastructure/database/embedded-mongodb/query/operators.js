import { Binary, Long, MaxKey, MinKey } from 'bson';
import { CommandError, unsupported } from '../command-error.js';
import { isDocument } from '../values/document.js';
import { isNumber, toDouble, toInteger } from '../values/numbers.js';
import { compare, encode, equal, rankOf } from '../values/order.js';
import { compileRegExp, isRegExp } from '../values/regex.js';
import { someValue } from './leaves.js';
import { typeTest } from './type-names.js';
/** The operators that stand below a field and need nothing but its values. */
export function compileOperator(operator, operand, fold) {
    switch (operator) {
        case '$eq':
            return some(equality(operand, fold));
        case '$ne':
            return not(some(equality(refuseRegExp(operator, operand), fold)));
        case '$gt':
        case '$gte':
        case '$lt':
        case '$lte':
            return some(ordering(operator, refuseRegExp(operator, operand), fold));
        case '$in':
            return some(membership(operator, operand, fold));
        case '$nin':
            return not(some(membership(operator, operand, fold)));
        case '$exists':
            return (found) => found.some((value) => value !== undefined) === isTruthy(operand);
        case '$type':
            return some(typeTest(operand));
        case '$size':
            return sizeTest(operand);
        case '$mod':
            return some(modulo(operand));
        case '$bitsAllSet':
        case '$bitsAllClear':
        case '$bitsAnySet':
        case '$bitsAnyClear':
            return some(bitTest(operator, operand));
        case '$near':
        case '$nearSphere':
        case '$geoWithin':
        case '$geoIntersects':
        case '$within':
        case '$text':
            throw unsupported(`Query operator ${operator}`, 2);
        default:
            throw new CommandError(2, `unknown operator: ${operator}`);
    }
}
export function equality(operand, fold) {
    if (isRegExp(operand))
        return patternTest(operand);
    if (operand === null || operand === undefined)
        return (value) => value === undefined || value === null;
    if (typeof operand === 'string' && !fold)
        return (value) => value === operand || equalOther(value, operand);
    const rank = rankOf(operand);
    const wanted = encode(operand, fold);
    return (value) => value !== undefined && rankOf(value) === rank && encode(value, fold).equals(wanted);
}
export function patternTest(operand) {
    const pattern = compileRegExp(operand);
    return (value) => (typeof value === 'string' ? pattern.test(value) : isRegExp(value) && equal(value, operand));
}
/** MongoDB takes any number but zero, and anything that is not null or false, for true. */
export function isTruthy(value) {
    return isNumber(value) ? toDouble(value) !== 0 : value !== false && value !== null && value !== undefined;
}
function some(test) {
    return (found) => someValue(found, test);
}
function not(test) {
    return (found) => !test(found);
}
function equalOther(value, operand) {
    return typeof value === 'object' && value !== null && equal(value, operand);
}
function refuseRegExp(operator, operand) {
    if (isRegExp(operand))
        throw new CommandError(2, `Can't have RegEx as arg to ${operator}.`);
    return operand;
}
/** Only values of the operand's own type compare: {$lt: 5} never finds a string. MinKey and MaxKey bound all types. */
function ordering(operator, operand, fold) {
    const accepts = (order) => operator === '$gt' ? order > 0 : operator === '$gte' ? order >= 0 : operator === '$lt' ? order < 0 : order <= 0;
    if (operand instanceof MinKey || operand instanceof MaxKey) {
        return (value) => value !== undefined && accepts(compare(value, operand));
    }
    const rank = rankOf(operand);
    if (operand === null || operand === undefined) {
        return (value) => (value === null || value === undefined) && accepts(0);
    }
    const isNaNOperand = isNumber(operand) && Number.isNaN(toDouble(operand));
    return (value) => {
        if (value === undefined || rankOf(value) !== rank)
            return false;
        // NaN is neither above nor below any number, though it sorts below all of them.
        const isNaNValue = isNumber(value) && Number.isNaN(toDouble(value));
        if (isNaNOperand || isNaNValue)
            return isNaNOperand && isNaNValue && operator.endsWith('e');
        return accepts(compare(value, operand, fold));
    };
}
function membership(operator, operand, fold) {
    if (!Array.isArray(operand))
        throw new CommandError(2, `${operator} needs an array`);
    if (operand.some((item) => isDocument(item) && Object.keys(item)[0]?.startsWith('$') && !('$ref' in item))) {
        throw new CommandError(2, `cannot nest $ under ${operator}`);
    }
    const patterns = operand.filter(isRegExp).map(patternTest);
    const wanted = new Set(operand.filter((item) => !isRegExp(item)).map((item) => hash(item, fold)));
    return (value) => wanted.has(hash(value, fold)) || patterns.some((test) => test(value));
}
function hash(value, fold) {
    return encode(value, fold).toString('latin1');
}
function sizeTest(operand) {
    const size = toInteger(operand, '$size');
    if (size < 0)
        throw new CommandError(2, '$size may not be negative');
    return (found) => found.some((leaf) => Array.isArray(leaf) && leaf.length === size);
}
function modulo(operand) {
    if (!Array.isArray(operand) || operand.length !== 2)
        throw new CommandError(2, 'malformed mod, needs two numbers');
    const [divisor, remainder] = operand.map((number) => (isNumber(number) ? Math.trunc(toDouble(number)) : NaN));
    if (!divisor || Number.isNaN(remainder))
        throw new CommandError(2, 'divisor cannot be 0 or not a number');
    return (value) => isNumber(value) && Math.trunc(toDouble(value)) % divisor === remainder;
}
function bitTest(operator, operand) {
    const mask = bitMask(operand);
    return (value) => {
        const bits = bitsOf(value);
        if (bits === undefined)
            return false;
        if (operator === '$bitsAllSet')
            return (bits & mask) === mask;
        if (operator === '$bitsAllClear')
            return (bits & mask) === 0n;
        return operator === '$bitsAnySet' ? (bits & mask) !== 0n : (bits & mask) !== mask;
    };
}
function bitMask(operand) {
    if (Array.isArray(operand)) {
        return operand.reduce((mask, position) => mask | (1n << BigInt(toInteger(position, 'bit position'))), 0n);
    }
    const bits = bitsOf(operand);
    if (bits === undefined || bits < 0n)
        throw new CommandError(2, 'A bit mask is a non-negative integer, BinData or array');
    return bits;
}
function bitsOf(value) {
    if (value instanceof Long)
        return value.toBigInt();
    if (value instanceof Binary)
        return BigInt(`0x0${Buffer.from(value.value()).reverse().toString('hex')}`);
    if (!isNumber(value))
        return undefined;
    const number = toDouble(value);
    return Number.isInteger(number) ? BigInt(number) : undefined;
}
//# sourceMappingURL=operators.js.map