import { evalExpr } from 'mingo/core';
import { CommandError } from '../command-error.js';
import { compileSortKey, sorted } from '../values/sort-key.js';
import { isNumber } from '../values/bson-types.js';
import { ADDITION } from '../values/arithmetic.js';
import { fieldAt, isDocument, type Document } from '../values/document.js';
import { toDouble } from '../values/numbers.js';
import { compare } from '../values/order.js';
import { combine } from '../expressions/arithmetic-expressions.js';
import { literal, type Options } from '../expressions/expression.js';
import { groupedBy } from './grouped.js';
import { withField } from './with-field.js';

/** As many as MongoDB makes. */
const MAX_GENERATED = 500_000;

interface Range {
  /** One step further. */
  next(value: unknown): unknown;
  isDates: boolean;
  /** From the first to before the second; or from the first to the last value, of all documents or of each partition. */
  bounds: [lower: unknown, upper: unknown] | 'full' | 'partition';
}

/** Adds documents for the values of a field that are missing between others. */
export function densify(specification: unknown, options: Options): (documents: Document[]) => Document[] {
  const { field, partitionByFields = [], range } = isDocument(specification) ? specification : {};
  const isListOfFields = Array.isArray(partitionByFields) && partitionByFields.every((one) => typeof one === 'string');
  if (typeof field !== 'string' || field === '' || !isListOfFields || !isDocument(range)) {
    throw new CommandError(40414, '$densify takes {field, range} and may take partitionByFields');
  }
  const { next, isDates, bounds } = rangeOf(range, options);
  if (bounds === 'partition' && partitionByFields.length === 0) {
    throw new CommandError(5733408, "$densify has the bounds 'partition' and no partitionByFields");
  }
  const partitions = partitionByFields.map((one: string) => one.split('.'));
  const path = field.split('.');
  const valueOf = (document: Document): unknown => densifiable(fieldAt(document, path), isDates);
  const order = compileSortKey({ ...Object.fromEntries(partitionByFields.map((one) => [one, 1])), [field]: 1 });
  return (documents) => {
    const inOrder = sorted(documents, order);
    const all = valuesOf(inOrder, valueOf);
    let generated = 0;
    return partitioned(inOrder, partitions).flatMap(({ members, seed }) => {
      const own = valuesOf(members, valueOf);
      if (partitions.length > 0 && own.length === 0) return members;
      const known = bounds === 'full' ? all : own;
      const [lower, upper] = typeof bounds === 'string' ? [known[0], known.at(-1)] : bounds;
      // A partition may lack the last value, which another has.
      const isWithin = (value: unknown): boolean =>
        bounds === 'full' ? compare(value, upper) <= 0 : compare(value, upper) < 0;
      const dense: Document[] = [];
      let value = lower;
      const fillUpTo = (isReached: (value: unknown) => boolean): void => {
        for (; value !== undefined && isWithin(value) && !isReached(value); value = next(value)) {
          dense.push(withField(seed, path, value));
          generated += 1;
          if (generated > MAX_GENERATED) {
            throw new CommandError(5897900, `$densify is not to generate more than ${MAX_GENERATED} documents`);
          }
        }
      };
      for (const member of members) {
        const present = valueOf(member);
        if (present !== undefined) fillUpTo((one) => compare(one, present) >= 0);
        if (value !== undefined && present !== undefined && compare(value, present) === 0) value = next(value);
        dense.push(member);
      }
      fillUpTo(() => false);
      return dense;
    });
  };
}

/** @throws CommandError as MongoDB does, if by other words */
function rangeOf({ step, unit, bounds }: Document, options: Options): Range {
  if (!isNumber(step) || !(toDouble(step) > 0)) {
    throw new CommandError(5733401, 'The step of $densify must be a positive number');
  }
  if (unit !== undefined && !Number.isInteger(toDouble(step))) {
    throw new CommandError(6586400, 'The step of $densify must be a whole number of units');
  }
  if (Array.isArray(bounds)) checkBounds(bounds, unit);
  else if (bounds !== 'full' && bounds !== 'partition') {
    throw new CommandError(5946802, "The bounds of $densify must be 'full', 'partition' or an array of two values");
  }
  return {
    next: (value) =>
      unit === undefined
        ? combine('$densify', ADDITION, value, step)
        : evalExpr({}, { $dateAdd: { startDate: literal(value), unit, amount: step } }, options),
    isDates: unit !== undefined,
    bounds: bounds as Range['bounds'],
  };
}

function checkBounds(bounds: unknown[], unit: unknown): void {
  if (bounds.length !== 2) throw new CommandError(5733403, 'The bounds of $densify must be two values');
  if (!bounds.every(isNumber) && !bounds.every((bound) => bound instanceof Date)) {
    throw new CommandError(5733406, 'The bounds of $densify must be two numbers or two dates');
  }
  if (compare(bounds[0], bounds[1]) > 0) throw new CommandError(5733402, 'The bounds of $densify must ascend');
  if (bounds.every(isNumber) && unit !== undefined) {
    throw new CommandError(5733409, '$densify takes no unit with bounds that are numbers');
  }
  if (!bounds.every(isNumber) && unit === undefined) {
    throw new CommandError(5733410, '$densify needs a unit with bounds that are dates');
  }
}

/** undefined: the document stays as it is. */
function densifiable(value: unknown, isDates: boolean): unknown {
  if (value === undefined || value === null) return undefined;
  if (!isNumber(value) && !(value instanceof Date)) {
    throw new CommandError(5733201, 'The field of $densify must hold numbers or dates');
  }
  if (isNumber(value) !== isDates) return value;
  throw new CommandError(6053600, '$densify needs a unit where the field holds dates, and there alone');
}

/** The values there are, ascending. */
function valuesOf(documents: Document[], valueOf: (document: Document) => unknown): unknown[] {
  const values = documents.map(valueOf).filter((value) => value !== undefined);
  return values.sort((a, b) => compare(a, b));
}

/** The documents that have the same in all these fields, and what new ones have of them; without fields, one partition. */
function partitioned(documents: Document[], fields: string[][]): { members: Document[]; seed: Document }[] {
  if (fields.length === 0) return [{ members: documents, seed: {} }];
  const seedOf = (document: Document): Document =>
    fields.reduce<Document>((seed, path) => withField(seed, path, fieldAt(document, path)), {});
  return groupedBy(documents, seedOf).map(({ value, members }) => ({ members, seed: value as Document }));
}
