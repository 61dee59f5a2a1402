import { BSONRegExp } from 'bson';
import { CommandError } from '../command-error.js';
import { isNumber } from '../values/bson-types.js';
import { MAX_DOCUMENT_BYTES, type Document } from '../values/document.js';
import { toDouble, toInteger } from '../values/numbers.js';
import { compare } from '../values/order.js';
import { toRegExp } from '../values/regex.js';
import { textOf } from './conversions.js';
import { isNothing, named, ordered, strict, strictlyNamed, type Operator, type Operators } from './expression.js';

/** The characters that are trimmed by default. */
const WHITESPACE = '\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

export const TEXTS: Operators = {
  $concat: strict([0, Infinity], (texts) => {
    if (!texts.every((text) => typeof text === 'string'))
      throw new CommandError(16702, '$concat only supports strings');
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (length > MAX_DOCUMENT_BYTES) throw new CommandError(10334, 'A text is not to be longer than a document');
    return texts.join('');
  }),
  $toUpper: ordered([1, 1], ([text]) => upper(textOf(text))),
  $toLower: ordered([1, 1], ([text]) => textOf(text).replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  $strcasecmp: ordered([2, 2], ([a, b]) => Math.sign(compare(upper(textOf(a)), upper(textOf(b))))),
  $strLenCP: ordered([1, 1], ([text]) => Array.from(string('$strLenCP', 34471, text)).length),
  $strLenBytes: ordered([1, 1], ([text]) => Buffer.byteLength(string('$strLenBytes', 34473, text))),
  $substr: ordered([3, 3], ([text, start, count]) => bytesOf(textOf(text), start, count)),
  $substrBytes: ordered([3, 3], ([text, start, count]) => bytesOf(textOf(text), start, count)),
  $substrCP: ordered([3, 3], ([text, start, count]) => {
    const [from = 0, length = 0] = [start, count].map((one) => toInteger(one, 'a position of $substrCP', 34450));
    if (from < 0 || length < 0) throw new CommandError(34455, '$substrCP needs positions >= 0');
    return Array.from(textOf(text))
      .slice(from, from + length)
      .join('');
  }),
  $indexOfBytes: indexOf('$indexOfBytes', (text, sought, start, end) => {
    const bytes = Buffer.from(text).subarray(0, end);
    return start > bytes.length ? -1 : bytes.indexOf(sought, start);
  }),
  $indexOfCP: indexOf('$indexOfCP', (text, sought, start, end) => {
    const points = Array.from(text).slice(0, end);
    if (start > points.length) return -1;
    const index = points.join('').indexOf(sought, points.slice(0, start).join('').length);
    return index < 0 ? index : Array.from(text.slice(0, index)).length;
  }),
  $split: strict([2, 2], ([text, separator]) => {
    const given = string('$split', 40085, text);
    if (string('$split', 40086, separator) === '') {
      throw new CommandError(40087, '$split requires a separator that is not empty');
    }
    return given.split(separator as string);
  }),
  $trim: trimming(true, true),
  $ltrim: trimming(true, false),
  $rtrim: trimming(false, true),
  $replaceOne: replacing((text, sought, replacement) => text.replace(sought, () => replacement)),
  $replaceAll: replacing((text, sought, replacement) => text.replaceAll(sought, () => replacement)),
  $regexMatch: named('input regex options?', (given) => findings(given).length > 0),
  $regexFind: named('input regex options?', (given) => findings(given)[0] ?? null),
  $regexFindAll: named('input regex options?', findings),
};

function findings({ input, regex, options: flags = '' }: Document): unknown[] {
  if (isNothing(input)) return [];
  const text = string('A search by regex', 51104, input);
  if (isNothing(regex)) return [];
  const { pattern, options } =
    regex instanceof BSONRegExp ? regex : { pattern: string('regex', 51105, regex), options: '' };
  if (options && flags) throw new CommandError(51107, 'options are given in the regex and beside it');
  const compiled = toRegExp({ pattern, options: options || String(flags ?? '') });
  const found = text.matchAll(new RegExp(compiled, `${compiled.flags}g`));
  // A search that begins at the end of the text finds nothing, not even an empty text.
  const counted = [...found].filter(({ index }) => index < text.length || text === '');
  return counted.map((one) => ({
    match: one[0],
    idx: Array.from(text.slice(0, one.index)).length,
    captures: one.slice(1).map((capture) => capture ?? null),
  }));
}

/** `$trim`, `$ltrim` and `$rtrim`. They go by characters, of which one may consist of two UTF-16 units. */
function trimming(atStart: boolean, atEnd: boolean): Operator {
  return strictlyNamed('input chars?', ({ input, chars = WHITESPACE }) => {
    const characters = [...string('$trim', 50699, input)];
    const dropped = new Set(string("'chars' of $trim", 50700, chars));
    const first = atStart ? characters.findIndex((one) => !dropped.has(one)) : 0;
    const last = atEnd ? characters.findLastIndex((one) => !dropped.has(one)) : characters.length - 1;
    return first < 0 ? '' : characters.slice(first, last + 1).join('');
  });
}

function replacing(replace: (text: string, sought: string, replacement: string) => string): Operator {
  return strictlyNamed('input find replacement', ({ input, find, replacement }) => {
    const [text = '', sought = '', other = ''] = [input, find, replacement].map((one) =>
      string('A replacement', 51746, one),
    );
    return replace(text, sought, other);
  });
}

function string(name: string, code: number, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new CommandError(code, `${name} requires a string`);
}

/** Changes the case of ASCII letters only, as MongoDB does. */
function upper(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** Fractions are cut off. A negative count takes everything up to the end. */
function bytesOf(text: string, start: unknown, count: unknown): string {
  const [from = 0, length = 0] = [start, count].map((one) =>
    toInteger(isNumber(one) ? Math.trunc(toDouble(one)) : one, 'a position of $substrBytes', 16034),
  );
  if (from < 0) throw new CommandError(50752, '$substrBytes: starting index must be non-negative');
  const part = Buffer.from(text)
    .subarray(from, length < 0 ? undefined : from + length)
    .toString();
  if (!part.includes('\uFFFD') || text.includes('\uFFFD')) return part;
  throw new CommandError(28657, '$substrBytes: Invalid range, a part of a UTF-8 character');
}

function indexOf(name: string, find: (text: string, sought: string, start: number, end?: number) => number): Operator {
  return ordered([2, 4], ([text, sought, ...bounds]) => {
    if (isNothing(text)) return null;
    const [start = 0, end] = bounds.map((one) => toInteger(one, `a bound of ${name}`, 40096));
    if (start < 0 || (end ?? 0) < 0) throw new CommandError(40097, `${name} requires no negative bounds`);
    return find(string(name, 40091, text), string(name, 40092, sought), start, end);
  });
}
