import { Decimal128, Double, Int32, Long } from 'bson';
import { CommandError } from '../command-error.js';
export function isNumber(value) {
    return (typeof value === 'number' ||
        value instanceof Double ||
        value instanceof Long ||
        value instanceof Int32 ||
        value instanceof Decimal128);
}
export function numberType(value) {
    if (value instanceof Int32)
        return 'int';
    if (value instanceof Long)
        return 'long';
    if (value instanceof Decimal128)
        return 'decimal';
    return typeof value === 'number' && value === (value | 0) && !Object.is(value, -0) ? 'int' : 'double';
}
export function toDouble(value) {
    if (typeof value === 'number')
        return value;
    if (value instanceof Long)
        return value.toNumber();
    return value instanceof Decimal128 ? Number(value.toString()) : value.value;
}
/** The integer a limit, size or count was given as, whatever numeric type carried it. @throws CommandError 14 */
export function toInteger(value, name) {
    if (!isNumber(value))
        throw new CommandError(14, `Expected ${name} to be a number`);
    const number = toDouble(value);
    if (!Number.isSafeInteger(number))
        throw new CommandError(2, `Expected ${name} to be an integer`);
    return number;
}
/** Exact value of a finite int64, decimal or double; undefined for NaN and the infinities. */
export function exactValue(value) {
    if (value instanceof Long)
        return { numerator: value.toBigInt(), denominator: 1n };
    if (value instanceof Decimal128)
        return exactDecimal(value.toString());
    return exactDouble(toDouble(value));
}
export function exactDouble(value) {
    if (!Number.isFinite(value))
        return undefined;
    let scale = 0;
    let scaled = value;
    while (!Number.isInteger(scaled)) {
        scaled *= 2;
        scale++;
    }
    return { numerator: BigInt(scaled), denominator: 1n << BigInt(scale) };
}
function exactDecimal(text) {
    const match = /^(-?)(\d*)\.?(\d*)(?:E([+-]?\d+))?$/i.exec(text);
    if (!match)
        return undefined;
    const [, sign, whole = '', fraction = '', exponent = '0'] = match;
    const digits = BigInt(whole + fraction) * (sign ? -1n : 1n);
    const power = Number(exponent) - fraction.length;
    return power >= 0
        ? { numerator: digits * 10n ** BigInt(power), denominator: 1n }
        : { numerator: digits, denominator: 10n ** BigInt(-power) };
}
const ADD = { double: (a, b) => a + b, integer: (a, b) => a + b };
const MULTIPLY = { double: (a, b) => a * b, integer: (a, b) => a * b };
/** Sum in MongoDB's result type: int grows to long, double and decimal win. @throws CommandError 2 on int64 overflow */
export function add(a, b) {
    return calculate(a, b, ADD, addDecimals);
}
export function multiply(a, b) {
    return calculate(a, b, MULTIPLY, multiplyDecimals);
}
function calculate(a, b, operation, decimal) {
    const types = [numberType(a), numberType(b)];
    if (types.includes('decimal'))
        return Decimal128.fromStringWithRounding(decimal(a.toString(), b.toString()));
    if (types.includes('double'))
        return asDouble(operation.double(toDouble(a), toDouble(b)));
    const result = operation.integer(BigInt(a.toString()), BigInt(b.toString()));
    if (BigInt.asIntN(64, result) !== result)
        throw new CommandError(2, 'Failed to apply the operation: integer overflow');
    return types.includes('long') || BigInt.asIntN(32, result) !== result ? Long.fromBigInt(result) : Number(result);
}
function asDouble(value) {
    return numberType(value) === 'int' ? new Double(value) : value;
}
function addDecimals(a, b) {
    const [x, y] = [exactDecimal(a), exactDecimal(b)];
    if (!x || !y)
        return String(Number(a) + Number(b));
    const denominator = x.denominator > y.denominator ? x.denominator : y.denominator;
    const sum = x.numerator * (denominator / x.denominator) + y.numerator * (denominator / y.denominator);
    return `${sum}E-${String(denominator).length - 1}`;
}
function multiplyDecimals(a, b) {
    const [x, y] = [exactDecimal(a), exactDecimal(b)];
    if (!x || !y)
        return String(Number(a) * Number(b));
    return `${x.numerator * y.numerator}E-${String(x.denominator * y.denominator).length - 1}`;
}
//# sourceMappingURL=numbers.js.map