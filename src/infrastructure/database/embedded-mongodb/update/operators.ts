import { Long, Timestamp } from 'bson';
import { CommandError, refuseOthers } from '../command-error.js';
import type { Scope } from '../expressions/expression.js';
import { compileFilter, isFilter } from '../query/filter.js';
import { elementSortKey, sorted } from '../values/sort-key.js';
import { equality } from '../query/operators.js';
import { copy, isDocument, sliced } from '../values/document.js';
import { ADDITION, calculate, MULTIPLICATION, type Arithmetic } from '../values/arithmetic.js';
import { toDouble, toInteger } from '../values/numbers.js';
import { compare, identity } from '../values/order.js';
import type { Place } from '../values/place.js';
import { isNumber, isRegExp, typeName } from '../values/bson-types.js';

export interface OperatorOptions extends Scope {
  now: Date;
  /** true while the document of an upsert is being built */
  isInsert: boolean;
  /** The place of another path of the same document. */
  placeOf(path: string): Place;
}

export type Operator = (place: Place, operand: unknown, options: OperatorOptions) => void;

export const OPERATORS: Readonly<Record<string, Operator>> = {
  $set: (place, operand) => place.set(copy(operand)),
  $setOnInsert: (place, operand, { isInsert }) => (isInsert ? place.set(copy(operand)) : undefined),
  $unset: (place) => place.unset(),
  $rename: rename,
  $inc: arithmetic('$inc', 'increment', ADDITION),
  $mul: arithmetic('$mul', 'multiply', MULTIPLICATION),
  $min: (place, operand, options) => bound(place, operand, -1, options),
  $max: (place, operand, options) => bound(place, operand, 1, options),
  $currentDate: currentDate,
  $bit: bit,
  $push: push,
  $addToSet: addToSet,
  $pull: pull,
  $pullAll: pullAll,
  $pop: pop,
};

function rename(from: Place, operand: unknown, { placeOf }: OperatorOptions): void {
  if (typeof operand !== 'string') throw new CommandError(2, "The 'to' field for $rename must be a string");
  if (`${operand}.`.startsWith(`${from.path}.`) || `${from.path}.`.startsWith(`${operand}.`)) {
    throw new CommandError(2, `The source and target field for $rename must differ: ${from.path}`);
  }
  from.checkReachable();
  const value = from.get();
  const to = value === undefined ? undefined : placeOf(operand);
  if (from.isInArray || to?.isInArray)
    throw new CommandError(2, '$rename does not reach into the elements of an array');
  if (!to) return;
  from.unset();
  to.set(value);
}

function arithmetic(name: string, verb: string, operation: Arithmetic): Operator {
  return (place, operand) => {
    const found = place.get();
    const value = found === undefined ? 0 : found;
    const given = `{${place.path}: ${JSON.stringify(operand)}}`;
    if (!isNumber(operand)) throw new CommandError(14, `Cannot ${verb} with non-numeric argument: ${given}`);
    if (!isNumber(value)) {
      const message = `Cannot apply ${name} to a value of non-numeric type. The field '${place.path}'`;
      throw new CommandError(14, `${message} has non-numeric type ${typeName(value)}`);
    }
    place.set(calculate(operation, value, operand));
  };
}

function bound(place: Place, operand: unknown, direction: number, options: OperatorOptions): void {
  const value = place.get();
  if (value === undefined || compare(operand, value, options.fold) * direction > 0) place.set(copy(operand));
}

function currentDate(place: Place, operand: unknown, { now }: OperatorOptions): void {
  const type = isDocument(operand) ? operand.$type : typeof operand === 'boolean' ? 'date' : undefined;
  if (type === 'date') place.set(now);
  else if (type === 'timestamp') place.set(new Timestamp({ t: Math.floor(now.getTime() / 1000), i: 1 }));
  else throw new CommandError(2, '$currentDate takes true or {$type: "date" | "timestamp"}');
}

const BIT_OPERATIONS: Record<string, (a: bigint, b: bigint) => bigint> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

function bit(place: Place, operand: unknown): void {
  const before = place.get();
  const values = [before === undefined ? 0 : before, ...Object.values(operand as object)];
  const types = values.map(typeName);
  const operations = Object.keys(operand as object).map((name) => BIT_OPERATIONS[name]);
  if (operations.length === 0) throw new CommandError(2, `$bit on '${place.path}' needs at least one of and, or, xor`);
  if (!types.every((type) => type === 'int' || type === 'long') || !operations.every((one) => one !== undefined)) {
    throw new CommandError(2, `$bit on '${place.path}': only and, or and xor of integers`);
  }
  const [start = 0n, ...masks] = values.map((value) => BigInt(String(value)));
  const result = masks.reduce((bits, mask, i) => operations[i]?.(bits, mask) ?? bits, start);
  place.set(types.includes('long') ? Long.fromBigInt(result) : Number(BigInt.asIntN(32, result)));
}

function push(place: Place, operand: unknown, options: Scope): void {
  const array = arrayAt(place, '$push', 2);
  const { $each, $position, $slice, $sort, ...others } = isEach(operand) ? operand : { $each: [operand] };
  refuseOthers('$push', 2, others);
  const position = $position === undefined ? array.length : toInteger($position, '$position', 2);
  array.splice(position, 0, ...eachOf($each));
  const keyOf = $sort === undefined ? () => Buffer.alloc(0) : elementSortKey($sort, options.fold);
  if (!keyOf) throw new CommandError(2, 'The $sort is invalid: use 1/-1 or a document of fields');
  const ordered = sorted(array, keyOf);
  const size = $slice === undefined ? Infinity : toInteger($slice, '$slice', 2);
  place.set(sliced(ordered, size));
}

function addToSet(place: Place, operand: unknown, { fold }: Scope): void {
  const array = arrayAt(place, '$addToSet', 2);
  const known = new Set(array.map((element) => identity(element, fold)));
  for (const value of addedBy(operand)) {
    if (!known.has(identity(value, fold))) array.push(value);
    known.add(identity(value, fold));
  }
  place.set(array);
}

/** Other than for $push, $each has to come first: elsewhere it is a field of the value. */
function addedBy(operand: unknown): unknown[] {
  if (!isEach(operand) || Object.keys(operand)[0] !== '$each') return [copy(operand)];
  const [, unexpected] = Object.keys(operand);
  if (unexpected) throw new CommandError(2, `Found unexpected fields after $each in $addToSet: ${unexpected}`);
  return eachOf(operand.$each, 14);
}

function pull(place: Place, operand: unknown, options: Scope): void {
  place.checkReachable();
  if (place.get() === undefined) return;
  const matches = pullTest(operand, options);
  place.set(arrayAt(place, '$pull', 2).filter((element) => !matches(element)));
}

function pullTest(operand: unknown, options: Scope): (element: unknown) => boolean {
  if (isDocument(operand) && isFilter(operand)) {
    const matches = compileFilter(operand, options);
    return (element) => isDocument(element) && matches(element);
  }
  if (!isDocument(operand) && !isRegExp(operand)) return equality(operand, options.fold);
  // MongoDB asks as it would ask a field, and so enters an element that is an array.
  const matches = compileFilter({ element: operand }, options);
  return (element) => matches({ element });
}

function pullAll(place: Place, operand: unknown, { fold }: Scope): void {
  if (!Array.isArray(operand)) throw new CommandError(2, '$pullAll requires an array argument');
  place.checkReachable();
  const array = arrayAt(place, '$pullAll', 2);
  const pulled = new Set(operand.map((value) => identity(value, fold)));
  if (place.get() !== undefined) place.set(array.filter((element) => !pulled.has(identity(element, fold))));
}

function pop(place: Place, operand: unknown): void {
  const end = isNumber(operand) ? toDouble(operand) : NaN;
  if (end !== 1 && end !== -1) throw new CommandError(9, '$pop expects 1 or -1');
  place.checkReachable();
  if (place.get() === undefined) return;
  const array = arrayAt(place, '$pop', 14);
  if (array.length > 0) place.set(end === 1 ? array.slice(0, -1) : array.slice(1));
}

/** A copy of what is there; empty where nothing is. */
function arrayAt(place: Place, operator: string, code: number): unknown[] {
  const value = place.get();
  if (value === undefined) return [];
  if (Array.isArray(value)) return [...value];
  throw new CommandError(code, `The field '${place.path}' must be an array for ${operator} but is of another type`);
}

function isEach(operand: unknown): operand is Record<string, unknown> {
  return isDocument(operand) && '$each' in operand;
}

function eachOf(each: unknown, code = 2): unknown[] {
  if (Array.isArray(each)) return copy(each);
  throw new CommandError(code, 'The argument to $each must be an array');
}
