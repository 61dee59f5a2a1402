import { evalExpr } from 'mingo/core';
import { CommandError } from '../command-error.js';
import { MAX_DOCUMENT_BYTES, type Document } from '../values/document.js';
import { compare } from '../values/order.js';
import { toRegExp } from '../values/regex.js';
import { textOf } from './conversion-expressions.js';
import type { Expression } from './expression.js';

/** What is trimmed unless said otherwise. */
const WHITESPACE = '\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

/** Expressions of texts that mingo lacks, or calculates otherwise than MongoDB. */
export const TEXT_EXPRESSIONS: Record<string, Expression> = {
  $concat: (document, operand, options) => {
    const texts = (operand as unknown[]).map((one) => evalExpr(document, one, options));
    if (texts.some((text) => text === undefined || text === null)) return null;
    if (!texts.every((text) => typeof text === 'string'))
      throw new CommandError(16702, '$concat only supports strings');
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (length > MAX_DOCUMENT_BYTES) throw new CommandError(10334, 'A text is not to be longer than a document');
    return texts.join('');
  },
  $toUpper: ofText(upper),
  $toLower: ofText((text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  $substr: ofText(bytesOf),
  $substrBytes: ofText(bytesOf),
  $substrCP: ofText((text, start, count) => {
    if (!(Number(start) >= 0 && Number(count) >= 0)) throw new CommandError(34455, '$substrCP needs positions >= 0');
    return Array.from(text)
      .slice(Number(start), Number(start) + Number(count))
      .join('');
  }),
  $indexOfBytes: indexOf((text, sought, start, end) => Buffer.from(text).subarray(0, end).indexOf(sought, start)),
  $indexOfCP: indexOf((text, sought, start, end) => {
    const points = Array.from(text);
    const index = points.slice(0, end).join('').indexOf(sought, points.slice(0, start).join('').length);
    return index < 0 ? index : Array.from(text.slice(0, index)).length;
  }),
  $strcasecmp: (document, operand, options) => {
    const [a, b] = (evalExpr(document, operand, options) as unknown[]).map((one) => upper(textOf(one)));
    return Math.sign(compare(a, b));
  },
  $trim: trimmed(true, true),
  $ltrim: trimmed(true, false),
  $rtrim: trimmed(false, true),
  $replaceOne: replacing((text, sought, replacement) => text.replace(sought, () => replacement)),
  $replaceAll: replacing((text, sought, replacement) => text.replaceAll(sought, () => replacement)),
  $regexMatch: (document, operand, options) => findings(evalExpr(document, operand, options) as Document).length > 0,
  $regexFind: (document, operand, options) => findings(evalExpr(document, operand, options) as Document)[0] ?? null,
  // mingo's never ends where an expression matches nothing at all between two characters.
  $regexFindAll: (document, operand, options) => findings(evalExpr(document, operand, options) as Document),
};

function findings({ input, regex, options: flags = '' }: Document): unknown[] {
  if (input === undefined || input === null) return [];
  if (typeof input !== 'string') throw new CommandError(51104, "A search by regex needs 'input' to be of type string");
  if (regex === undefined || regex === null) return [];
  const pattern = regex instanceof RegExp ? regex : toRegExp(String(regex), '');
  const found = input.matchAll(new RegExp(pattern, `${pattern.flags || toRegExp('', String(flags)).flags}g`));
  // At the end of a text nothing is looked for any more.
  const counted = [...found].filter(({ index }) => index < input.length || input === '');
  return counted.map((one) => ({
    match: one[0],
    idx: Array.from(input.slice(0, one.index)).length,
    captures: one.slice(1).map((capture) => capture ?? null),
  }));
}

/** Character by character, of which one may be two units. */
function trimmed(atStart: boolean, atEnd: boolean): Expression {
  return (document, operand, options) => {
    const given = evalExpr(document, operand, options) as Document;
    const { input, chars }: Document = { chars: WHITESPACE, ...given };
    if ([input, chars].some((one) => one === undefined || one === null)) return null;
    if (typeof input !== 'string') throw new CommandError(50699, '$trim requires its input to be a string');
    if (typeof chars !== 'string') throw new CommandError(50700, "$trim requires 'chars' to be a string");
    const [characters, dropped] = [[...input], new Set(chars)];
    const first = atStart ? characters.findIndex((one) => !dropped.has(one)) : 0;
    const last = atEnd ? characters.findLastIndex((one) => !dropped.has(one)) : characters.length - 1;
    return first < 0 ? '' : characters.slice(first, last + 1).join('');
  };
}

function replacing(replace: (text: string, sought: string, replacement: string) => string): Expression {
  return (document, operand, options) => {
    const { input, find, replacement } = evalExpr(document, operand, options) as Document;
    if ([input, find, replacement].some((one) => one === undefined || one === null)) return null;
    if (typeof input === 'string' && typeof find === 'string' && typeof replacement === 'string') {
      return replace(input, find, replacement);
    }
    throw new CommandError(51746, "A replacement requires 'input', 'find' and 'replacement' to be strings");
  };
}

/** Of one text, which may be given as a number or a date, and perhaps two positions. */
function ofText(calculate: (text: string, start: unknown, count: unknown) => string): Expression {
  return (document, operand, options) => {
    const [text, start, count] = [evalExpr(document, operand, options)].flat();
    return calculate(textOf(text), start, count);
  };
}

/** As in MongoDB, of ASCII alone. */
function upper(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** A negative count takes all that is left. */
function bytesOf(text: string, start: unknown, count: unknown): string {
  if (!(Number(start) >= 0)) throw new CommandError(50752, '$substrBytes: starting index must be non-negative');
  const end = Number(count) < 0 ? undefined : Number(start) + Number(count);
  const part = Buffer.from(text).subarray(Number(start), end).toString();
  if (!part.includes('\uFFFD') || text.includes('\uFFFD')) return part;
  throw new CommandError(28657, '$substrBytes: Invalid range, a part of a UTF-8 character');
}

function indexOf(find: (text: string, sought: string, start: number, end?: number) => number): Expression {
  return (document, operand, options) => {
    const [text, sought, start = 0, end] = evalExpr(document, operand, options) as [string, string, number?, number?];
    if (text === undefined || text === null) return null;
    if (typeof text === 'string' && typeof sought === 'string') return find(text, sought, start, end);
    throw new CommandError(40091, '$indexOf needs two strings');
  };
}
