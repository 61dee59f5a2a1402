import { CommandError } from '../command-error.js';
import { isDocument } from './document.js';
import { isNumber, toDouble } from './numbers.js';
/**
 * A close relative of the ICU collation, not the same: accents and case are folded by Unicode rules, language-specific
 * letters are not. Undefined stands for plain byte comparison.
 * @throws CommandError 9 when the specification is not usable
 */
export function foldFor(collation) {
    if (collation === undefined || collation === null)
        return undefined;
    if (!isDocument(collation) || typeof collation['locale'] !== 'string') {
        throw new CommandError(9, "The field 'collation' needs a locale");
    }
    if (collation['locale'] === 'simple')
        return undefined;
    const strength = isNumber(collation['strength']) ? toDouble(collation['strength']) : 3;
    const fold = strength === 1 ? withoutAccentsAndCase : strength === 2 ? withoutCase : exactWithDictionaryOrder;
    return collation['numericOrdering'] === true ? (text) => fold(text.replace(/\d+/g, padDigits)) : fold;
}
export function sameCollation(a, b) {
    return JSON.stringify(essence(a)) === JSON.stringify(essence(b));
}
function essence(collation) {
    if (!isDocument(collation) || collation['locale'] === 'simple')
        return null;
    const { locale, strength = 3, numericOrdering = false } = collation;
    return [locale, isNumber(strength) ? toDouble(strength) : 3, numericOrdering];
}
function withoutAccentsAndCase(text) {
    return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
function withoutCase(text) {
    return text.normalize('NFC').toLowerCase();
}
function exactWithDictionaryOrder(text) {
    const swapped = text.replace(/\p{L}/gu, (letter) => {
        const lower = letter.toLowerCase();
        return lower === letter ? letter.toUpperCase() : lower;
    });
    return `${withoutAccentsAndCase(text)}\u0001${swapped}\u0001${text}`;
}
function padDigits(digits) {
    const significant = digits.replace(/^0+(?=\d)/, '');
    return `0${String.fromCharCode(significant.length)}${significant}`;
}
//# sourceMappingURL=collation.js.map