import { evalExpr } from 'mingo/core';
import { CommandError, refuseOthers } from '../../command-error.js';
import { compileSortKey, sorted } from '../../values/sort-key.js';
import type { Fold } from '../../values/collation.js';
import { isDocument, isOperatorDocument, type Document } from '../../values/document.js';
import { encode } from '../../values/order.js';
import type { Options } from '../../expressions/expression.js';
import { checked, checkedOperand } from '../../expressions/expressions.js';
import { groupedBy } from '../grouped.js';
import { compileWindow } from './window-bounds.js';
import type { WindowFunction } from './window-options.js';
import { compileWindowFunction } from './window-functions.js';
import { withField } from '../with-field.js';

/** $setWindowFields: of each document's neighbours, in the partition to which it belongs. */
export function windowFields(specification: unknown, options: Options, fold?: Fold) {
  if (!isDocument(specification)) throw new CommandError(9, 'the $setWindowFields stage must be an object');
  const { partitionBy, sortBy, output, ...others } = specification;
  refuseOthers('$setWindowFields', 40415, others);
  if (!isDocument(output)) throw new CommandError(14, "BSON field '$setWindowFields.output' must be an object");
  if (sortBy !== undefined && !isDocument(sortBy)) {
    throw new CommandError(14, "BSON field '$setWindowFields.sortBy' must be an object");
  }
  refuseConflicts(Object.keys(output));
  const outputs = Object.entries(output).map(([path, one]) => ({
    path: path.split('.'),
    valuesOf: outputOf(one, sortBy, options, fold),
  }));
  const keyOf = sortBy && Object.keys(sortBy).length > 0 ? compileSortKey(sortBy, fold) : undefined;
  const parted = partitioner(checked(partitionBy), options, fold);
  return (documents: Document[]): Document[] =>
    parted(documents).flatMap((members) => {
      const inOrder = keyOf ? sorted(members, keyOf) : members;
      const fields = outputs.map(({ path, valuesOf }) => ({ path, values: valuesOf(inOrder) }));
      return inOrder.map((document, i) =>
        fields.reduce((result, { path, values }) => withField(result, path, values[i]), document),
      );
    });
}

function outputOf(specification: unknown, sortBy: Document | undefined, options: Options, fold?: Fold): WindowFunction {
  const { window, ...rest } = isDocument(specification) ? specification : {};
  const [name = '', another] = Object.keys(rest);
  if (!isOperatorDocument(rest)) throw new CommandError(9, `Expected a $-prefixed window function, ${name}`);
  if (another) throw new CommandError(9, `Window function ${name} found an unknown argument: ${another}`);
  const bounds = window === undefined ? undefined : compileWindow(window, sortBy, options);
  return compileWindowFunction(name, checkedOperand(name, rest[name]), { sortBy, window: bounds, options, fold });
}

/** Null where there is none; in the order of their values. */
function partitioner(partitionBy: unknown, options: Options, fold?: Fold) {
  return (documents: Document[]): Document[][] => {
    if (partitionBy === undefined) return [documents];
    const partitionOf = (document: Document): unknown => {
      const value = evalExpr(document, partitionBy, options) ?? null;
      if (!Array.isArray(value)) return value;
      throw new CommandError(14, "An expression used to partition cannot evaluate to value of type 'array'");
    };
    const partitions = groupedBy(documents, partitionOf, fold);
    return sorted(partitions, ({ value }) => encode(value, fold)).map(({ members }) => members);
  };
}

function refuseConflicts(paths: string[]): void {
  const conflict = paths.find((path) => paths.some((other) => path.startsWith(`${other}.`)));
  if (conflict)
    throw new CommandError(6307900, `$setWindowFields specification contains two conflicting paths: ${conflict}`);
}
