import { evalExpr } from 'mingo/core';
import { CommandError } from '../command-error.js';
import { compileSortKey, sorted } from '../values/sort-key.js';
import { isNumber, typeName } from '../values/bson-types.js';
import type { Fold } from '../values/collation.js';
import { isDocument, type Document } from '../values/document.js';
import { toDouble, toInteger } from '../values/numbers.js';
import { compare, encode } from '../values/order.js';
import { foldOf, valuesOfEach, type Expression, type Options } from './expression.js';

type Pick = (values: unknown[], count: number, fold?: Fold) => unknown[];

const PICKS: Record<string, Pick> = {
  $firstN: (values, count) => values.slice(0, count),
  $lastN: (values, count) => values.slice(-count),
  $minN: (values, count, fold) => ascending(values, fold).slice(0, count),
  $maxN: (values, count, fold) => ascending(values, fold).reverse().slice(0, count),
};

/** Of the elements of an array, or of what all documents of a group have. */
export const PICKING_EXPRESSIONS: Record<string, Expression> = {
  ...Object.fromEntries(
    Object.entries(PICKS).map(([name, pick]): [string, Expression] => [
      name,
      (document, operand, options) => {
        const { input, n } = operand as Document;
        const values = valuesOf(name, document, input, options);
        if (values === undefined) return null;
        const count = Array.isArray(document) ? ofKey(n, options) : evalExpr(document, n, options);
        return pick(values, counted(name, count), foldOf(options)).map((value) => value ?? null);
      },
    ]),
  ),
  $first: ofEnd('$first', 0),
  $last: ofEnd('$last', -1),
  $percentile: (document, operand, options) => {
    const { input, p } = ofMethod('$percentile', operand as Document);
    const wanted = evalExpr({}, p, options);
    if (!Array.isArray(wanted) || !wanted.every((one) => isNumber(one) && toDouble(one) >= 0 && toDouble(one) <= 1)) {
      throw new CommandError(7750303, "$percentile needs 'p' to be an array of numbers from 0 to 1");
    }
    const values = numbersOf(document, input, options);
    return wanted.map((one) => quantile(values, toDouble(one)));
  },
  $median: (document, operand, options) => {
    const { input } = ofMethod('$median', operand as Document);
    return quantile(numbersOf(document, input, options), 0.5);
  },
};

/** Of the documents of a group in an order of their own. */
export const PICKING_ACCUMULATORS: Record<
  string,
  (documents: Document[], operand: unknown, options: Options) => unknown
> = {
  $top: (documents, operand, options) => ordered('$top', documents, operand, options)[0],
  $bottom: (documents, operand, options) => ordered('$bottom', documents, operand, options).at(-1),
  $topN: (documents, operand, options) => {
    const count = counted('$topN', ofKey((operand as Document).n, options));
    return ordered('$topN', documents, operand, options).slice(0, count);
  },
  $bottomN: (documents, operand, options) => {
    const count = counted('$bottomN', ofKey((operand as Document).n, options));
    return ordered('$bottomN', documents, operand, options).slice(-count);
  },
};

function ordered(name: string, documents: Document[], operand: unknown, options: Options): unknown[] {
  const { sortBy, output } = operand as Document;
  if (!isDocument(sortBy)) throw new CommandError(5788004, `${name} needs 'sortBy' to be an object`);
  const inOrder = sorted(documents, compileSortKey(sortBy, foldOf(options)));
  return valuesOfEach(inOrder, output, options).map((value) => value ?? null);
}

function ofEnd(name: string, index: number): Expression {
  return (document, operand, options) => {
    if (Array.isArray(document)) {
      const one = document.at(index) as Document | undefined;
      return one && valuesOfEach([one], operand, options)[0];
    }
    return valuesOf(name, document, operand, options)?.at(index);
  };
}

/** undefined: there is nothing. */
function valuesOf(name: string, document: Document, input: unknown, options: Options): unknown[] | undefined {
  if (Array.isArray(document)) return valuesOfEach(document, input, options);
  const value = evalExpr(document, input, options);
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value;
  throw new CommandError(5788200, `${name} needs an array, and got ${typeName(value)}`);
}

function numbersOf(document: Document, input: unknown, options: Options): number[] {
  const found = Array.isArray(document)
    ? valuesOfEach(document, input, options)
    : [evalExpr(document, input, options)].flat();
  return found
    .filter(isNumber)
    .map(toDouble)
    .filter((value) => !Number.isNaN(value))
    .sort((a, b) => a - b);
}

/** The least of ascending values that so many are not above. */
function quantile(values: number[], share: number): number | null {
  return values[Math.max(0, Math.ceil(values.length * share) - 1)] ?? null;
}

function ascending(values: unknown[], fold?: Fold): unknown[] {
  const present = values.filter((value) => value !== undefined && value !== null);
  return sorted(present, (value) => encode(value, fold));
}

/** For a whole group it is calculated from what its documents have in common. */
function ofKey(n: unknown, options: Options): unknown {
  const { Group: key } = (options as { local?: { variables?: Document } }).local?.variables ?? {};
  return valuesOfEach([isDocument(key) ? key : {}], n, options)[0];
}

function counted(name: string, n: unknown): number {
  const count = toInteger(n, `${name} n`, 5787903);
  if (compare(count, 0) > 0) return count;
  throw new CommandError(5787908, `'n' must be greater than 0, found ${count}`);
}

function ofMethod(name: string, operand: Document): Document {
  if (operand.method === 'approximate') return operand;
  throw new CommandError(2, `${name} needs 'method' to be 'approximate'`);
}
