import { Binary, BSONRegExp, BSONSymbol, Code, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { isDocument } from './document.js';
import { exactDouble, exactValue, isNumber, toDouble } from './numbers.js';
/** First byte of an encoded value: BSON's order of types. Two types with the same byte compare by value. */
export const RANK = {
    minKey: 0x01,
    emptyArray: 0x05,
    null: 0x0a,
    number: 0x14,
    string: 0x1e,
    object: 0x28,
    array: 0x32,
    binary: 0x3c,
    objectId: 0x46,
    boolean: 0x50,
    date: 0x5a,
    timestamp: 0x64,
    regex: 0x6e,
    code: 0x78,
    maxKey: 0x7f,
};
/** Stands in an index for the elements of an array that has none; sorts before null, as in MongoDB. */
export const EMPTY_ARRAY = Symbol('empty array');
export function rankOf(value) {
    if (value === null || value === undefined)
        return RANK.null;
    if (isNumber(value))
        return RANK.number;
    if (typeof value === 'string' || value instanceof BSONSymbol)
        return RANK.string;
    if (value instanceof ObjectId)
        return RANK.objectId;
    if (typeof value === 'boolean')
        return RANK.boolean;
    if (value instanceof Date)
        return RANK.date;
    if (Array.isArray(value))
        return RANK.array;
    if (isDocument(value))
        return RANK.object;
    if (value instanceof Binary)
        return RANK.binary;
    if (value instanceof Timestamp)
        return RANK.timestamp;
    if (value instanceof BSONRegExp || value instanceof RegExp)
        return RANK.regex;
    if (value instanceof Code)
        return RANK.code;
    if (value instanceof MinKey)
        return RANK.minKey;
    if (value instanceof MaxKey)
        return RANK.maxKey;
    return value === EMPTY_ARRAY ? RANK.emptyArray : RANK.object;
}
/**
 * Bytes whose memcmp order is BSON's order and whose equality is BSON's equality (1, 1.0 and NumberLong(1) are equal;
 * missing equals null). Numbers are exact, decimals included down to 1e-308 and up to 1e308. Every encoding ends
 * itself, so encodings can be concatenated, and inverted bit by bit for a descending order.
 */
export function encode(value, fold) {
    writer.length = 0;
    writer.value(value, fold);
    return writer.copy();
}
export function inverted(bytes) {
    return bytes.map((byte) => 0xff - byte);
}
export function compare(a, b, fold) {
    if (typeof a === 'number' && typeof b === 'number' && a === a && b === b)
        return a - b;
    const ranks = rankOf(a) - rankOf(b);
    return ranks === 0 ? Buffer.compare(encode(a, fold), encode(b, fold)) : ranks;
}
export function equal(a, b, fold) {
    if (typeof a === 'string' && typeof b === 'string' && !fold)
        return a === b;
    return compare(a, b, fold) === 0;
}
class Writer {
    length = 0;
    buffer = Buffer.alloc(4096);
    copy() {
        return Buffer.from(this.buffer.subarray(0, this.length));
    }
    value(value, fold) {
        const rank = rankOf(value);
        this.byte(rank);
        this.content(rank, value, fold);
    }
    content(rank, value, fold) {
        if (rank === RANK.number)
            this.number(value);
        else if (rank === RANK.string)
            this.text(fold ? fold(String(value)) : String(value));
        else if (rank === RANK.objectId)
            this.bytes(value.id);
        else if (rank === RANK.boolean)
            this.byte(value ? 1 : 0);
        else if (rank === RANK.date)
            this.uint64(BigInt.asUintN(64, BigInt(dateMs(value)) + 2n ** 63n));
        else if (rank === RANK.array)
            this.array(value, fold);
        else if (rank === RANK.object)
            this.object(value, fold);
        else if (rank === RANK.binary)
            this.binary(value);
        else if (rank === RANK.timestamp)
            this.uint64(value.toBigInt());
        else if (rank === RANK.regex)
            this.regex(value);
        else if (rank === RANK.code)
            this.text(value.code);
    }
    array(elements, fold) {
        for (const element of elements)
            this.value(element, fold);
        this.byte(0);
    }
    object(fields, fold) {
        for (const name of Object.keys(fields)) {
            const rank = rankOf(fields[name]);
            this.byte(rank);
            this.text(name);
            this.content(rank, fields[name], fold);
        }
        this.byte(0);
    }
    binary(binary) {
        const value = binary.value();
        this.uint64(BigInt(value.length));
        this.byte(binary.sub_type);
        this.bytes(value);
    }
    regex(value) {
        this.text(value instanceof RegExp ? value.source : value.pattern);
        this.text(value instanceof RegExp ? value.flags : value.options);
    }
    number(value) {
        const nearest = toDouble(value);
        const isDouble = !(value instanceof Decimal128) && !(value instanceof Long && !Number.isSafeInteger(nearest));
        const exact = isDouble ? undefined : exactValue(value);
        if (exact)
            this.remainder(exact, 3);
        else
            this.doubleAndRemainder(nearest, undefined, 0);
    }
    /** A number a double cannot hold goes out as a double, then what is left of it, again as a double, and once more. */
    remainder(exact, rounds) {
        const nearest = nearestDouble(exact);
        const base = exactDouble(nearest);
        const rest = {
            numerator: exact.numerator * base.denominator - base.numerator * exact.denominator,
            denominator: exact.denominator * base.denominator,
        };
        this.doubleAndRemainder(nearest, rest.numerator === 0n ? undefined : rest, rounds);
    }
    doubleAndRemainder(nearest, rest, rounds) {
        this.double(nearest);
        if (!rest || rounds <= 1)
            return this.byte(0x80);
        this.byte(rest.numerator < 0n ? 0x7f : 0x81);
        this.remainder(rest, rounds - 1);
    }
    double(value) {
        this.reserve(8);
        this.buffer.writeDoubleBE(value === 0 ? 0 : value, this.length);
        const negative = this.buffer[this.length] >= 0x80;
        if (Number.isNaN(value))
            this.buffer.fill(0, this.length, this.length + 8);
        else if (negative)
            for (let i = 0; i < 8; i++)
                this.buffer[this.length + i] ^= 0xff;
        else
            this.buffer[this.length] ^= 0x80;
        this.length += 8;
    }
    /** Two zero bytes end a text; a zero inside it becomes 00 ff, which is right for the inverted order as well. */
    text(text) {
        if (!text.includes('\0')) {
            this.reserve(text.length * 3);
            this.length += this.buffer.write(text, this.length, 'utf8');
        }
        else {
            text.split('\0').forEach((part, index) => {
                if (index > 0)
                    this.bytes(Buffer.from([0x00, 0xff]));
                this.bytes(Buffer.from(part));
            });
        }
        this.byte(0);
        this.byte(0);
    }
    uint64(value) {
        this.reserve(8);
        this.length = this.buffer.writeBigUInt64BE(value, this.length);
    }
    byte(value) {
        this.reserve(1);
        this.buffer[this.length++] = value;
    }
    bytes(value) {
        this.reserve(value.length);
        this.buffer.set(value, this.length);
        this.length += value.length;
    }
    reserve(more) {
        if (this.length + more <= this.buffer.length)
            return;
        this.buffer = Buffer.concat([this.buffer], Math.max(this.buffer.length * 2, this.length + more));
    }
}
const writer = new Writer();
function dateMs(date) {
    const ms = date.getTime();
    return Number.isNaN(ms) ? 0 : ms;
}
function nearestDouble({ numerator, denominator }) {
    const negative = numerator < 0n;
    const size = negative ? -numerator : numerator;
    const shift = Math.max(0, 64 - (bits(size) - bits(denominator)));
    const quotient = Number((size << BigInt(shift)) / denominator);
    let result = quotient;
    for (let left = shift; left > 0; left -= 1000)
        result /= 2 ** Math.min(left, 1000);
    return Math.min(result, Number.MAX_VALUE) * (negative ? -1 : 1);
}
function bits(value) {
    return value.toString(2).length;
}
//# sourceMappingURL=order.js.map