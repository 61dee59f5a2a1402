import { Binary, BSONRegExp, BSONSymbol, Code, Decimal128, Double, Long, MaxKey, MinKey, ObjectId, Timestamp, } from 'bson';
import { CommandError } from '../command-error.js';
import { assign } from './document.js';
import { toRegExp } from './regex.js';
const MAX_DEPTH = 200;
/** mingo compares class instances by toString(), and Binary's is a lossy UTF-8 decode under which ff equals fe. */
export class ComparableBinary extends Binary {
    toString() {
        return `${this.sub_type}:${Buffer.from(this.value()).toString('hex')}`;
    }
}
/**
 * Decodes BSON keeping every numeric type: a JavaScript number is an int32, or a double that can be nothing else;
 * doubles that look like an int32 stay `Double`, int64 stays `Long`.
 * @throws CommandError 22 when the bytes are not a valid document
 */
export function decode(bytes) {
    return decodeWith(bytes, false);
}
/** Decodes for mingo, which only calculates with JavaScript numbers; int64 beyond 2^53 stays `Long`. */
export function decodePromoted(bytes) {
    return decodeWith(bytes, true);
}
function decodeWith(bytes, promote) {
    try {
        return new Decoder(bytes, promote).document(0);
    }
    catch (error) {
        if (error instanceof CommandError)
            throw error;
        throw new CommandError(22, `Invalid BSON: ${error.message}`);
    }
}
class Decoder {
    bytes;
    promote;
    position = 0;
    constructor(bytes, promote) {
        this.bytes = bytes;
        this.promote = promote;
    }
    document(depth) {
        const result = {};
        this.fields(depth, (name, value) => assign(result, name, value));
        return result;
    }
    array(depth) {
        const result = [];
        this.fields(depth, (_name, value) => result.push(value));
        return result;
    }
    fields(depth, visit) {
        if (depth > MAX_DEPTH)
            throw new CommandError(22, `Document nested deeper than ${MAX_DEPTH} levels`);
        const end = this.position + this.bytes.readInt32LE(this.position);
        if (end > this.bytes.length || end < this.position + 5)
            throw new Error('wrong document length');
        this.position += 4;
        for (;;) {
            const type = this.bytes.readUInt8(this.position++);
            if (type === 0)
                break;
            const name = this.cstring();
            visit(name, this.value(type, depth));
        }
        if (this.position !== end)
            throw new Error('document length does not match its content');
    }
    value(type, depth) {
        switch (type) {
            case 0x01:
                return this.double(this.bytes.readDoubleLE(this.skip(8)));
            case 0x02:
                return this.string();
            case 0x03:
                return this.document(depth + 1);
            case 0x04:
                return this.array(depth + 1);
            case 0x05:
                return this.binary();
            case 0x06:
            case 0x0a:
                return null;
            case 0x07:
                return new ObjectId(Uint8Array.from(this.take(12)));
            case 0x08:
                return this.bytes[this.skip(1)] === 1;
            case 0x09:
                return new Date(Number(this.bytes.readBigInt64LE(this.skip(8))));
            case 0x0b:
                return this.regularExpression();
            case 0x0d:
                return new Code(this.string());
            case 0x0e:
                return new BSONSymbol(this.string());
            case 0x0f:
                this.skip(4);
                return new Code(this.string(), this.document(depth + 1));
            case 0x10:
                return this.bytes.readInt32LE(this.skip(4));
            case 0x11:
                return new Timestamp(this.bytes.readBigUInt64LE(this.skip(8)));
            case 0x12:
                return this.long(Long.fromBigInt(this.bytes.readBigInt64LE(this.skip(8))));
            case 0x13:
                return new Decimal128(Uint8Array.from(this.take(16)));
            case 0x7f:
                return new MaxKey();
            case 0xff:
                return new MinKey();
            default:
                throw new Error(`unknown type 0x${type.toString(16)}`);
        }
    }
    double(value) {
        const looksLikeInt32 = value === Math.trunc(value) && Math.abs(value) <= 0x80000000 && !Object.is(value, -0);
        return looksLikeInt32 && !this.promote ? new Double(value) : value;
    }
    long(value) {
        if (!this.promote)
            return value;
        const number = value.toNumber();
        return Number.isSafeInteger(number) ? number : value;
    }
    binary() {
        let length = this.bytes.readInt32LE(this.skip(4));
        const subtype = this.bytes[this.skip(1)];
        if (subtype === 2)
            length = this.bytes.readInt32LE(this.skip(4));
        const value = Buffer.from(this.take(length));
        return this.promote ? new ComparableBinary(value, subtype) : new Binary(value, subtype);
    }
    regularExpression() {
        const expression = new BSONRegExp(this.cstring(), this.cstring());
        return this.promote ? toRegExp(expression.pattern, expression.options) : expression;
    }
    string() {
        const length = this.bytes.readInt32LE(this.skip(4));
        const start = this.skip(length);
        if (length < 1 || this.bytes[start + length - 1] !== 0)
            throw new Error('string without terminator');
        return this.bytes.toString('utf8', start, start + length - 1);
    }
    cstring() {
        const end = this.bytes.indexOf(0, this.position);
        if (end < 0)
            throw new Error('name without terminator');
        const text = this.bytes.toString('utf8', this.position, end);
        this.position = end + 1;
        return text;
    }
    take(length) {
        const start = this.skip(length);
        return this.bytes.subarray(start, start + length);
    }
    /** Steps over a value; returns where it starts. */
    skip(length) {
        const start = this.position;
        if (length < 0 || start + length > this.bytes.length)
            throw new Error('value reaches beyond the end');
        this.position += length;
        return start;
    }
}
//# sourceMappingURL=decode.js.map