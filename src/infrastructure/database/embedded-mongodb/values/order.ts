import { Decimal128, Long, type Binary, type BSONRegExp, type Code, type ObjectId, type Timestamp } from 'bson';
import type { Fold } from './collation.js';
import { aligned, digitsOf, exactDigitsOf, toDouble, type Digits } from './numbers.js';
import { rankOf, typeName, type BsonNumber } from './bson-types.js';

/**
 * Bytes whose memcmp order is BSON's order and whose equality is BSON's equality (1, 1.0 and NumberLong(1) are equal;
 * missing equals null). Numbers are exact, decimals included down to 1e-308 and up to 1e308. Every encoding ends
 * itself, so encodings can be concatenated, and inverted bit by bit for a descending order.
 */
export function encode(value: unknown, fold?: Fold): Buffer {
  writer.length = 0;
  writer.value(value, fold);
  return writer.copy();
}

/** The same as text, to tell values apart in a Map or Set. */
export function identity(value: unknown, fold?: Fold): string {
  return encode(value, fold).toString('latin1');
}

/** Values by their identity: of those that are equal, the first. */
export function byIdentity(values: readonly unknown[], fold?: Fold): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const value of values) {
    const name = identity(value, fold);
    if (!found.has(name)) found.set(name, value);
  }
  return found;
}

export function inverted(bytes: Buffer): Buffer {
  return bytes.map((byte) => 0xff - byte) as Buffer;
}

export function compare(a: unknown, b: unknown, fold?: Fold): number {
  if (typeof a === 'number' && typeof b === 'number' && a === a && b === b) return a === b ? 0 : a - b;
  const ranks = rankOf(a) - rankOf(b);
  return ranks === 0 ? Buffer.compare(encode(a, fold), encode(b, fold)) : ranks;
}

export function equal(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' ? a === b : compare(a, b) === 0;
}

class Writer {
  length = 0;
  private buffer = Buffer.alloc(4096);

  copy(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.length));
  }

  value(value: unknown, fold?: Fold): void {
    this.byte(rankOf(value));
    this.content(value, fold);
  }

  private content(value: unknown, fold?: Fold): void {
    switch (typeName(value)) {
      case 'int':
      case 'long':
      case 'double':
      case 'decimal':
        return this.number(value as BsonNumber);
      case 'string':
      case 'symbol':
        return this.text(fold ? fold(String(value)) : String(value));
      case 'objectId':
        return this.bytes((value as ObjectId).id);
      case 'bool':
        return this.byte(value ? 1 : 0);
      case 'date':
        return this.uint64(BigInt((value as Date).getTime() || 0) + 2n ** 63n);
      case 'timestamp':
        return this.uint64((value as Timestamp).toBigInt());
      case 'array':
        for (const element of value as unknown[]) this.value(element, fold);
        return this.byte(0);
      case 'object':
        return this.object(value as Record<string, unknown>, fold);
      case 'binData':
        return this.binary(value as Binary);
      case 'regex':
        this.text((value as BSONRegExp).pattern);
        return this.text((value as BSONRegExp).options);
      case 'javascript':
        return this.text((value as Code).code);
      case 'javascriptWithScope':
        this.text((value as Code).code);
        return this.object((value as Code).scope as Record<string, unknown>);
      default:
        // Of the other types every value is the same.
        return;
    }
  }

  private object(fields: Record<string, unknown>, fold?: Fold): void {
    for (const name of Object.keys(fields)) {
      // Calculated of something that is missing: then there is no such field.
      if (fields[name] === undefined) continue;
      this.byte(rankOf(fields[name]));
      this.text(name);
      this.content(fields[name], fold);
    }
    this.byte(0);
  }

  private binary(binary: Binary): void {
    const value = binary.value();
    this.uint64(BigInt(value.length));
    this.byte(binary.sub_type);
    this.bytes(value);
  }

  /** The nearest double; then whether it is the number, and what is left of the number where it is not. */
  private number(value: BsonNumber): void {
    const nearest = toDouble(value);
    const isDouble = !(value instanceof Decimal128) && !(value instanceof Long && !Number.isSafeInteger(nearest));
    const exact = isDouble ? undefined : digitsOf(value);
    const base = Math.max(-Number.MAX_VALUE, Math.min(nearest, Number.MAX_VALUE));
    this.double(exact ? base : nearest);
    const rest = exact ? remainder(exact, exactDigitsOf(base)) : 0n;
    this.byte(rest === 0n ? 0x80 : rest < 0n ? 0x7f : 0x81);
    if (rest === 0n) return;
    this.uint64(BigInt.asUintN(64, rest >> 64n));
    this.uint64(BigInt.asUintN(64, rest));
  }

  private double(value: number): void {
    this.reserve(8);
    this.buffer.writeDoubleBE(value === 0 ? 0 : value, this.length);
    const negative = (this.buffer[this.length] as number) >= 0x80;
    if (Number.isNaN(value)) this.buffer.fill(0, this.length, this.length + 8);
    else if (negative) for (let i = 0; i < 8; i++) this.buffer[this.length + i]! ^= 0xff;
    else this.buffer[this.length]! ^= 0x80;
    this.length += 8;
  }

  /** Two zero bytes end a text; a zero inside it becomes 00 ff, which is right for the inverted order as well. */
  private text(text: string): void {
    if (text.includes('\0')) {
      this.bytes(Buffer.from(Buffer.from(text).toString('latin1').replaceAll('\0', '\0\xff'), 'latin1'));
    } else {
      this.reserve(text.length * 3);
      this.length += this.buffer.write(text, this.length, 'utf8');
    }
    this.byte(0);
    this.byte(0);
  }

  private uint64(value: bigint): void {
    this.reserve(8);
    this.length = this.buffer.writeBigUInt64BE(value, this.length);
  }

  private byte(value: number): void {
    this.reserve(1);
    this.buffer[this.length++] = value;
  }

  private bytes(value: Uint8Array): void {
    this.reserve(value.length);
    this.buffer.set(value, this.length);
    this.length += value.length;
  }

  private reserve(more: number): void {
    if (this.length + more <= this.buffer.length) return;
    this.buffer = Buffer.concat([this.buffer], Math.max(this.buffer.length * 2, this.length + more));
  }
}

const writer = new Writer();

const LARGEST = 2n ** 127n - 1n;

/**
 * What a double lacks to be the number, as a share of the double, and in a unit so small that no two decimals of 34
 * digits and no decimal and double are the same.
 */
function remainder(exact: Digits, base: Digits): bigint {
  const { x, y, scale } = aligned(exact, base);
  const rest = x - y;
  if (rest === 0n) return 0n;
  const share = (rest << 178n) / (y < 0n ? -y : y || 10n ** BigInt(scale));
  if (share === 0n) return rest < 0n ? -1n : 1n;
  return share > LARGEST ? LARGEST : share < -LARGEST ? -LARGEST : share;
}
