import { Long, Timestamp } from 'bson';
import { CommandError } from '../command-error.js';
import { typeName } from '../query/type-names.js';
import { copy, isDocument } from '../values/document.js';
import { add, isNumber, multiply, numberType } from '../values/numbers.js';
import { compare } from '../values/order.js';
import { addToSet, pop, pull, pullAll, push } from './array-operators.js';
export const OPERATORS = new Map([
    ['$set', (place, operand) => place.set(copy(operand))],
    ['$setOnInsert', (place, operand, options) => (options.isInsert ? place.set(copy(operand)) : undefined)],
    ['$unset', (place) => place.unset()],
    ['$inc', (place, operand) => calculate(place, operand, '$inc')],
    ['$mul', (place, operand) => calculate(place, operand, '$mul')],
    ['$min', (place, operand, options) => bound(place, operand, -1, options)],
    ['$max', (place, operand, options) => bound(place, operand, 1, options)],
    ['$currentDate', currentDate],
    ['$bit', bit],
    ['$push', push],
    ['$addToSet', addToSet],
    ['$pull', pull],
    ['$pullAll', pullAll],
    ['$pop', pop],
]);
function calculate(place, operand, operator) {
    const verb = operator === '$inc' ? 'increment' : 'multiply';
    if (!isNumber(operand)) {
        throw new CommandError(14, `Cannot ${verb} with non-numeric argument: {${place.path}: ${JSON.stringify(operand)}}`);
    }
    const value = place.get();
    if (value === undefined) {
        place.set(operator === '$inc' ? operand : multiply(operand, 0));
    }
    else if (isNumber(value)) {
        place.set(operator === '$inc' ? add(value, operand) : multiply(value, operand));
    }
    else {
        const type = typeName(value);
        throw new CommandError(14, `Cannot apply ${operator} to a value of non-numeric type. The field '${place.path}' has non-numeric type ${type}`);
    }
}
function bound(place, operand, direction, options) {
    const value = place.get();
    if (value === undefined || compare(operand, value, options.fold) * direction > 0)
        place.set(copy(operand));
}
function currentDate(place, operand, options) {
    const type = isDocument(operand) ? operand['$type'] : operand === true || operand === false ? 'date' : undefined;
    if (type === 'date')
        place.set(options.now);
    else if (type === 'timestamp')
        place.set(new Timestamp({ t: Math.floor(options.now.getTime() / 1000), i: 1 }));
    else
        throw new CommandError(2, '$currentDate takes true or {$type: "date" | "timestamp"}');
}
const BIT_OPERATIONS = {
    and: (a, b) => a & b,
    or: (a, b) => a | b,
    xor: (a, b) => a ^ b,
};
function bit(place, operand) {
    const current = place.get() ?? 0;
    if (!isDocument(operand) || !isInteger(current)) {
        throw new CommandError(2, `Cannot apply $bit to '${place.path}': both sides have to be integers`);
    }
    let result = BigInt(current.toString());
    let isLong = numberType(current) === 'long';
    for (const [name, value] of Object.entries(operand)) {
        const operation = Object.hasOwn(BIT_OPERATIONS, name) ? BIT_OPERATIONS[name] : undefined;
        if (!operation || !isInteger(value))
            throw new CommandError(2, `The $bit modifier only supports and, or and xor of integers`);
        result = operation(result, BigInt(value.toString()));
        isLong ||= numberType(value) === 'long';
    }
    place.set(isLong ? Long.fromBigInt(result) : Number(BigInt.asIntN(32, result)));
}
function isInteger(value) {
    return isNumber(value) && ['int', 'long'].includes(numberType(value));
}
//# sourceMappingURL=field-operators.js.map