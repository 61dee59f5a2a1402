import { BSONRegExp } from 'bson';
import { evaluate, promote } from '../aggregation/expressions.js';
import { CommandError, unsupported } from '../command-error.js';
import { isDocument } from '../values/document.js';
import { isRegExp } from '../values/regex.js';
import { leaves } from './leaves.js';
import { compileOperator, equality, isTruthy } from './operators.js';
/**
 * Compiles a query filter.
 * @throws CommandError for operators that do not exist or that only MongoDB has, even if no document is ever tested
 */
export function compileFilter(filter, options = {}) {
    if (!isDocument(filter))
        throw new CommandError(14, 'Expected the filter to be an object');
    const tests = Object.keys(filter).map((key) => compileEntry(key, filter[key], options));
    return tests.length === 1 ? tests[0] : (document) => tests.every((test) => test(document));
}
/** Tests one value, not a document, against the operators of a field: for `$elemMatch` and `$pull`. */
export function compileValueTest(operators, options = {}) {
    const test = compileOperators(operators, options);
    return (value) => test([value]);
}
/** True for {$gt: 1}, false for {a: 1} and for a DBRef. */
export function isOperatorDocument(value) {
    if (!isDocument(value))
        return false;
    const first = Object.keys(value)[0];
    return first !== undefined && first.startsWith('$') && !DBREF_FIELDS.has(first);
}
const DBREF_FIELDS = new Set(['$ref', '$id', '$db']);
function compileEntry(key, operand, options) {
    if (!key.startsWith('$') || DBREF_FIELDS.has(key))
        return compileField(key, operand, options);
    switch (key) {
        case '$and': {
            const all = compileList(key, operand, options);
            return (document) => all.every((test) => test(document));
        }
        case '$or': {
            const any = compileList(key, operand, options);
            return (document) => any.some((test) => test(document));
        }
        case '$nor': {
            const none = compileList(key, operand, options);
            return (document) => !none.some((test) => test(document));
        }
        case '$expr': {
            const expression = promote(operand);
            const calculate = options.evaluate ?? evaluate;
            return (document) => isTruthy(calculate(expression, document));
        }
        case '$comment':
            return () => true;
        case '$where':
        case '$text':
        case '$jsonSchema':
            throw unsupported(`Query operator ${key}`, 2);
        default:
            throw new CommandError(2, `unknown top level operator: ${key}`);
    }
}
function compileList(operator, operand, options) {
    if (!Array.isArray(operand) || operand.length === 0) {
        throw new CommandError(2, `${operator} argument must be a non-empty array`);
    }
    return operand.map((filter) => compileFilter(filter, options));
}
function compileField(path, operand, options) {
    const parts = path.split('.');
    const test = isOperatorDocument(operand)
        ? compileOperators(operand, options)
        : compileOperator('$eq', operand, options.fold);
    return (document) => test(leaves(document, parts));
}
function compileOperators(operators, options) {
    const tests = Object.keys(operators).flatMap((operator) => {
        const operand = operators[operator];
        if (operator === '$options') {
            if (!('$regex' in operators))
                throw new CommandError(2, '$options needs a $regex');
            return [];
        }
        if (!operator.startsWith('$'))
            throw new CommandError(2, `unknown operator: ${operator}`);
        if (operator === '$regex')
            return [regexTest(operand, operators['$options'])];
        if (operator === '$not')
            return [negation(operand, options)];
        if (operator === '$elemMatch')
            return [elementMatch(operand, options)];
        if (operator === '$all')
            return [allTest(operand, options)];
        return [compileOperator(operator, operand, options.fold)];
    });
    return (found) => tests.every((test) => test(found));
}
function regexTest(operand, flags) {
    const own = operand instanceof BSONRegExp ? operand.options : '';
    const pattern = operand instanceof BSONRegExp ? operand.pattern : operand instanceof RegExp ? operand.source : operand;
    if (typeof pattern !== 'string')
        throw new CommandError(2, '$regex has to be a string');
    return compileOperator('$eq', new BSONRegExp(pattern, typeof flags === 'string' ? flags : own));
}
function negation(operand, options) {
    if (!isRegExp(operand) && !isOperatorDocument(operand)) {
        throw new CommandError(2, '$not needs a regex or a document');
    }
    const test = isRegExp(operand) ? compileOperator('$eq', operand) : compileOperators(operand, options);
    return (found) => !test(found);
}
function elementMatch(operand, options) {
    const matches = elementTest(operand, options);
    return (found) => found.some((leaf) => Array.isArray(leaf) && leaf.some(matches));
}
/** The test `$elemMatch` makes on each element. */
export function elementTest(operand, options) {
    if (!isDocument(operand))
        throw new CommandError(2, '$elemMatch needs an Object');
    const first = Object.keys(operand)[0];
    if (isOperatorDocument(operand) && !['$and', '$or', '$nor', '$where'].includes(first)) {
        return compileValueTest(operand, options);
    }
    const matches = compileFilter(operand, options);
    // Elements that are arrays are matched like documents whose fields are the indexes.
    return (element) => (isDocument(element) || Array.isArray(element)) && matches(element);
}
function allTest(operand, options) {
    if (!Array.isArray(operand))
        throw new CommandError(2, '$all needs an array');
    const tests = operand.map((item) => {
        if (isOperatorDocument(item)) {
            if (Object.keys(item)[0] !== '$elemMatch')
                throw new CommandError(2, 'no $ expressions in $all');
            return elementMatch(item['$elemMatch'], options);
        }
        const test = equality(item, options.fold);
        return (found) => found.some((leaf) => test(leaf) || (Array.isArray(leaf) && leaf.some(test)));
    });
    return (found) => tests.length > 0 && tests.every((test) => test(found));
}
//# sourceMappingURL=filter.js.map