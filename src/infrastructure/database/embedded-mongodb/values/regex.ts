import type { BSONRegExp } from 'bson';
import { CommandError } from '../command-error.js';

/** @throws CommandError 51108 */
export function toFlags(options: string): string {
  let flags = '';
  for (const option of options) {
    if ('ims'.includes(option)) flags += flags.includes(option) ? '' : option;
    else if (option !== 'u') throw new CommandError(51108, `invalid flag in regex options: ${option}`);
  }
  return flags;
}

/**
 * The JavaScript expression for a PCRE pattern. `x` and PCRE-only syntax are refused: matching something else than
 * MongoDB would is worse than failing.
 * @throws CommandError 51091 or 51108
 */
export function toRegExp(pattern: string, options: string): RegExp {
  const flags = toFlags(options);
  if (
    /\(\?[a-zA-Z^-]+[:)]|\\[AZzGQEhHRKX]|\\x\{|[*+?}]\+|\(\?[>|#R&]|(?<!\\)\[(?:\[:|\^?\])/.test(
      pattern.replaceAll('\\\\', ''),
    )
  ) {
    throw new CommandError(51091, `Regular expression uses PCRE syntax the embedded store lacks: ${pattern}`);
  }
  try {
    return byCharacter(pattern, flags) ?? new RegExp(pattern, flags);
  } catch (error) {
    throw new CommandError(51091, `Regular expression is invalid: ${(error as Error).message}`);
  }
}

/** To PCRE an emoji is one character. @returns undefined for what JavaScript then takes for a mistake, such as an escaped @ */
function byCharacter(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    return undefined;
  }
}

const LITERALS = /^\^((?:[^\p{Surrogate}\\^$.*+?()[\]{}|]|\\[^\p{Surrogate}A-Za-z0-9])*)([*?{]?)/u;

/** How every text begins that the expression matches; empty where it does not say, or not in plain characters. */
export function literalPrefix(expression: BSONRegExp): string {
  const pattern = caseSensitivePattern(expression);
  if (pattern.replace(/\\./gs, '').includes('|')) return '';
  const [, literals = '', repetition] = LITERALS.exec(pattern) ?? [];
  const characters = literals.match(/\\?[^\\]|\\\\/gsu) ?? [];
  // The last character may be missing then.
  if (repetition) characters.pop();
  return characters.map((character) => character.replace(/^\\/, '')).join('');
}

/** Whether it asks for nothing but that beginning. */
export function isLiteralPrefix(expression: BSONRegExp): boolean {
  const pattern = caseSensitivePattern(expression);
  const [whole, , repetition] = LITERALS.exec(pattern) ?? [];
  return whole === pattern && repetition === '';
}

/** Empty for an expression with options. */
function caseSensitivePattern({ pattern, options }: BSONRegExp): string {
  return options === '' ? pattern : '';
}

export function compileRegExp({ pattern, options }: BSONRegExp): RegExp {
  return toRegExp(pattern, options);
}
