import { CommandError, unsupported } from '../command-error.js';
import { isDocument } from './document.js';

/** Rewrites a string so that plain byte order and equality of the result are those of the collation. */
export type Fold = (text: string) => string;

const OPTIONS = ['alternate', 'backwards', 'caseFirst', 'caseLevel', 'maxVariable', 'normalization', 'version'];

/** They would make other texts equal, or order them otherwise. */
const REFUSED: Record<string, unknown[]> = {
  caseLevel: [true],
  caseFirst: ['upper', 'lower'],
  alternate: ['shifted'],
  backwards: [true],
};

/** Which levels a fold has. Indexes that an older version stored have another number, and are used where no text is compared. */
export const FOLDING = 2;

/** Every collation has one function, so that two of them are the same where their functions are. */
const FOLDS = new Map<string, Fold>();

/**
 * A close relative of the ICU collation, not the same: accents and case are folded by Unicode rules, language-specific
 * letters are not. Undefined stands for plain byte comparison.
 * @throws CommandError 9 when the specification is not usable
 */
export function foldFor(collation: unknown, folding = FOLDING): Fold | undefined {
  if (collation === undefined || collation === null) return undefined;
  if (!isDocument(collation) || typeof collation.locale !== 'string') {
    throw new CommandError(9, "The field 'collation' needs a locale");
  }
  const { locale, strength = 3, numericOrdering = false, ...others } = collation;
  if (locale === 'simple') return undefined;
  if (!(Number(strength) >= 1 && Number(strength) <= 5)) throw new CommandError(51024, 'strength is from 1 to 5');
  if (Object.entries(others).some(([option, value]) => REFUSED[option]?.includes(value))) {
    throw unsupported(`One of the options of the collation ${JSON.stringify(collation)}`, 9);
  }
  const name = `${locale} ${String(strength)} ${String(numericOrdering)} ${folding}`;
  if (!FOLDS.has(name)) FOLDS.set(name, newFold(Number(strength), numericOrdering === true, folding));
  return FOLDS.get(name);
}

/** What could be stored by an older version, but is asked for by mistake. @throws CommandError 2, or 40415 for an option */
export function checkCollation(collation: unknown): void {
  if (!isDocument(collation)) return;
  const { locale, strength: _strength, numericOrdering: _numericOrdering, ...others } = collation;
  const unknown = Object.keys(others).find((option) => !OPTIONS.includes(option));
  if (unknown) throw new CommandError(40415, `BSON field 'collation.${unknown}' is an unknown field.`);
  if (typeof locale === 'string' && locale !== 'simple' && !isLocale(locale)) {
    throw new CommandError(2, `Field 'locale' is invalid in: ${JSON.stringify(collation)}`);
  }
  if (locale === 'fr_CA') throw unsupported("The locale 'fr_CA', with its accents from behind,", 2);
}

function isLocale(locale: string): boolean {
  try {
    return Intl.Collator.supportedLocalesOf(locale.replaceAll('_', '-').replace(/@.*/, '')).length > 0;
  } catch {
    return false;
  }
}

function newFold(strength: number, isNumeric: boolean, folding: number): Fold {
  const table = folding === 1 ? FIRST_LEVELS : LEVELS;
  const levels = table[strength - 1] ?? table.slice(-1).flat();
  return (text) => {
    const composed = folding === 1 ? text : text.normalize('NFC');
    const given = isNumeric ? composed.replace(/\d+/g, padDigits) : composed;
    return levels.map((level) => level(given)).join('\u0001');
  };
}

function withoutAccentsAndCase(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function withoutCase(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** Lower case before upper case. */
function withCaseSwapped(text: string): string {
  return text.replace(/\p{L}/gu, (letter) => {
    const lower = letter.toLowerCase();
    return lower === letter ? letter.toUpperCase() : lower;
  });
}

/** By strength. Each level decides only between texts that are equal on those before. */
const LEVELS: Fold[][] = [
  [withoutAccentsAndCase],
  [withoutAccentsAndCase, withoutCase],
  [withoutAccentsAndCase, withoutCase, withCaseSwapped, String],
];
const FIRST_LEVELS: Fold[][] = [
  [withoutAccentsAndCase],
  [withoutCase],
  [withoutAccentsAndCase, withCaseSwapped, String],
];

function padDigits(digits: string): string {
  const significant = digits.replace(/^0+(?=\d)/, '');
  return `0${String.fromCharCode(significant.length)}${significant}`;
}
