import type { BSONRegExp } from 'bson';
import { CommandError, unsupported } from '../command-error.js';

/** @throws CommandError 51108 */
export function toFlags(options: string): string {
  let flags = '';
  for (const option of options) {
    if ('ims'.includes(option)) flags += flags.includes(option) ? '' : option;
    else if (option === 'x') throw unsupported("The regex option 'x'", 51108);
    else if (option !== 'u') throw new CommandError(51108, `invalid flag in regex options: ${option}`);
  }
  return flags;
}

/** An option within, anchors and escapes of PCRE's own, groups of its own kinds, classes by name, an empty class. */
const PCRE_ONLY = /\(\?[a-zA-Z^-]+[:)]|\\[AZzGQEhHRKX]|\\x\{|\(\?[>|#R&]|\[:\^?\w+:\]|(?<!\\)\[\^?\]/;

/** With a plus behind it, a quantifier gives nothing back. */
const POSSESSIVE = /[*+?}]\+/;

/**
 * The JavaScript expression for a PCRE pattern. `x` and PCRE-only syntax are refused: matching something else than
 * MongoDB would is worse than failing.
 * @throws CommandError 51091 or 51108
 */
export function toRegExp({ pattern, options }: Pick<BSONRegExp, 'pattern' | 'options'>): RegExp {
  const flags = toFlags(options);
  const outline = pattern.replace(/\\[pP]\{[^}]*\}|\\./gs, 'a').replace(/\[[^\]]*\]/g, 'a');
  if (PCRE_ONLY.test(pattern.replaceAll('\\\\', '')) || POSSESSIVE.test(outline)) throw pcreOnly(pattern);
  const byCharacter = compiled(withoutNeedlessEscapes(pattern), `${flags}u`);
  if (byCharacter instanceof RegExp) return byCharacter;
  // What JavaScript alone does not know, it would take for the letter.
  if (/\\[^\W\dbBcdDfknrsStuvwWx]/.test(pattern.replaceAll('\\\\', ''))) throw pcreOnly(pattern);
  const byUnit = compiled(pattern, flags);
  if (byUnit instanceof RegExp) return byUnit;
  throw new CommandError(51091, `Regular expression is invalid: ${byUnit.message}`);
}

function pcreOnly(pattern: string): CommandError {
  return new CommandError(51091, `Regular expression uses PCRE syntax the embedded store lacks: ${pattern}`);
}

/** To PCRE an emoji is one character, and so it is to JavaScript with the flag `u`. */
function compiled(pattern: string, flags: string): RegExp | Error {
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    return error as Error;
  }
}

/** With that flag JavaScript escapes nothing that would mean itself. */
function withoutNeedlessEscapes(pattern: string): string {
  let isInClass = false;
  return pattern.replace(/\\(.)|[[\]]/gsu, (found, escaped?: string) => {
    if (escaped === undefined) isInClass = found === '[';
    const isNeedless = escaped !== undefined && !/[\w^$\\.*+?()[\]{}|/-]/.test(escaped);
    return isNeedless || escaped === '_' || (escaped === '-' && !isInClass) ? (escaped as string) : found;
  });
}

const LITERALS = /^\^((?:[^\p{Surrogate}\\^$.*+?()[\]{}|]|\\[^\p{Surrogate}A-Za-z0-9])*)([*?{]?)/u;

/** How every text begins that a case-sensitive expression matches, in plain characters, and whether it asks for nothing else. */
export function literalPrefix({ pattern, options }: BSONRegExp): { text: string; isAll: boolean } {
  const [whole, literals = '', repetition] = options === '' ? (LITERALS.exec(pattern) ?? []) : [];
  // Without a text, a pattern matches any, but nothing else than texts.
  const isAll = whole === pattern && repetition === '' && literals !== '';
  if (pattern.replace(/\\./gs, '').includes('|')) return { text: '', isAll };
  const characters = literals.match(/\\?[^\\]|\\\\/gsu) ?? [];
  // The last character may be missing then.
  if (repetition) characters.pop();
  return { text: characters.map((character) => character.replace(/^\\/, '')).join(''), isAll };
}
