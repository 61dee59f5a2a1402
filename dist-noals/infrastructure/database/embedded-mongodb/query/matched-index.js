import { isDocument } from '../values/document.js';
import { compileFilter, compileValueTest, elementTest, isOperatorDocument } from './filter.js';
import { leaves } from './leaves.js';
/**
 * Which element of an array made a document match a filter: what `$` in an update or a projection stands for.
 * Conditions on the array itself count before those on other arrays of the document.
 */
export function matchedIndex(filter, document, arrayPath, options) {
    let other;
    for (const [path, operand] of conditions(filter, document, options)) {
        const parts = path.split('.');
        for (let length = parts.length; length > 0; length--) {
            const prefix = parts.slice(0, length).join('.');
            const [array] = leaves(document, parts.slice(0, length));
            if (!Array.isArray(array))
                continue;
            const index = firstMatch(array, parts.slice(length).join('.'), operand, options);
            if (index >= 0 && prefix === arrayPath)
                return index;
            if (index >= 0)
                other ??= index;
        }
    }
    return other;
}
function firstMatch(array, rest, operand, options) {
    if (rest !== '') {
        const test = compileFilter({ [rest]: operand }, options);
        return array.findIndex((element) => isDocument(element) && test(element));
    }
    if (isDocument(operand) && '$elemMatch' in operand) {
        return array.findIndex(elementTest(operand['$elemMatch'], options));
    }
    return array.findIndex(compileValueTest(isOperatorDocument(operand) ? operand : { $eq: operand }, options));
}
function* conditions(filter, document, options) {
    for (const [key, operand] of Object.entries(filter)) {
        if (key === '$and' && Array.isArray(operand)) {
            for (const part of operand)
                yield* conditions(part, document, options);
        }
        else if (key === '$or' && Array.isArray(operand)) {
            const matching = operand.find((part) => compileFilter(part, options)(document));
            if (matching)
                yield* conditions(matching, document, options);
        }
        else if (!key.startsWith('$')) {
            yield [key, operand];
        }
    }
}
//# sourceMappingURL=matched-index.js.map