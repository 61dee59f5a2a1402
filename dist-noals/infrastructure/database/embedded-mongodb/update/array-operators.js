import { CommandError } from '../command-error.js';
import { compileFilter, compileValueTest, isOperatorDocument } from '../query/filter.js';
import { equality } from '../query/operators.js';
import { leaves } from '../query/leaves.js';
import { copy, isDocument } from '../values/document.js';
import { isNumber, toDouble, toInteger } from '../values/numbers.js';
import { compare, encode } from '../values/order.js';
import { isRegExp } from '../values/regex.js';
const PUSH_MODIFIERS = ['$each', '$slice', '$sort', '$position'];
export function push(place, operand, options) {
    const array = [...arrayAt(place, '$push', 2)];
    const modifiers = isDocument(operand) && '$each' in operand ? operand : { $each: [operand] };
    for (const key of Object.keys(modifiers)) {
        if (!PUSH_MODIFIERS.includes(key))
            throw new CommandError(2, `Unrecognized clause in $push: ${key}`);
    }
    const added = eachOf(modifiers, '$push');
    const position = '$position' in modifiers ? toInteger(modifiers['$position'], '$position') : array.length;
    array.splice(position, 0, ...copy(added));
    if ('$sort' in modifiers)
        sortBy(array, modifiers['$sort'], options);
    if ('$slice' in modifiers) {
        const size = toInteger(modifiers['$slice'], '$slice');
        place.set(size >= 0 ? array.slice(0, size) : array.slice(size));
    }
    else {
        place.set(array);
    }
}
export function addToSet(place, operand, options) {
    const array = [...arrayAt(place, '$addToSet', 2)];
    const added = isDocument(operand) && '$each' in operand ? eachOf(operand, '$addToSet') : [operand];
    const key = (value) => encode(value, options.fold).toString('latin1');
    const known = new Set(array.map(key));
    for (const value of added) {
        if (known.has(key(value)))
            continue;
        known.add(key(value));
        array.push(copy(value));
    }
    place.set(array);
}
export function pull(place, operand, options) {
    if (place.get() === undefined)
        return;
    const array = arrayAt(place, '$pull', 2);
    const matches = pullTest(operand, options);
    const kept = array.filter((element) => !matches(element));
    if (kept.length !== array.length)
        place.set(kept);
}
export function pullAll(place, operand, options) {
    if (!Array.isArray(operand))
        throw new CommandError(2, '$pullAll requires an array argument');
    pull(place, { $in: operand }, options);
}
export function pop(place, operand) {
    const end = isNumber(operand) ? toDouble(operand) : NaN;
    if (end !== 1 && end !== -1)
        throw new CommandError(9, '$pop expects 1 or -1');
    if (place.get() === undefined)
        return;
    const array = arrayAt(place, '$pop', 14);
    if (array.length > 0)
        place.set(end === 1 ? array.slice(0, -1) : array.slice(1));
}
function arrayAt(place, operator, code) {
    const value = place.get();
    if (value === undefined)
        return [];
    if (Array.isArray(value))
        return value;
    throw new CommandError(code, `The field '${place.path}' must be an array for ${operator} but is of another type`);
}
function eachOf(modifiers, operator) {
    const each = modifiers['$each'];
    if (Array.isArray(each))
        return each;
    throw new CommandError(2, `The argument to $each in ${operator} must be an array`);
}
function sortBy(array, order, options) {
    if (isNumber(order)) {
        const direction = toDouble(order);
        array.sort((a, b) => compare(a, b, options.fold) * direction);
        return;
    }
    if (!isDocument(order))
        throw new CommandError(2, 'The $sort is invalid: use 1/-1 or a document of fields');
    const fields = Object.entries(order).map(([path, direction]) => {
        if (!isNumber(direction))
            throw new CommandError(2, 'The $sort element value must be either 1 or -1');
        return { parts: path.split('.'), direction: toDouble(direction) };
    });
    array.sort((a, b) => {
        for (const { parts, direction } of fields) {
            const result = compare(leaves(a, parts)[0], leaves(b, parts)[0], options.fold);
            if (result !== 0)
                return result * direction;
        }
        return 0;
    });
}
function pullTest(operand, options) {
    if (isOperatorDocument(operand) && !['$and', '$or', '$nor'].includes(Object.keys(operand)[0])) {
        return compileValueTest(operand, options);
    }
    if (isDocument(operand)) {
        const matches = compileFilter(operand, options);
        return (element) => isDocument(element) && matches(element);
    }
    return isRegExp(operand) ? compileValueTest({ $in: [operand] }, options) : equality(operand, options.fold);
}
//# sourceMappingURL=array-operators.js.map