import { evalExpr } from 'mingo/core';
import { CommandError } from '../../command-error.js';
import { quotient } from '../../values/arithmetic.js';
import type { BsonNumber } from '../../values/bson-types.js';
import { isDocument, type Document } from '../../values/document.js';
import { added, amount, isAccumulator, OWN_ACCUMULATORS, type Total } from '../../expressions/own-accumulators.js';
import { OVER_THE_PARTITION } from './partition-functions.js';
import { $derivative, $integral } from './series-functions.js';
import { WHOLE_PARTITION, type Window } from './window-bounds.js';
import type { Compile, WindowOptions, WindowFunction } from './window-options.js';

/** Made of what was made before and of what has come since: a running total is not added up anew for each document. */
const RUNNING = ['$min', '$max'];

/** They need the ends of their window, or its length. */
const OVER_THE_WINDOW: Record<string, Compile> = {
  $first: ofWindow(
    (operand, { options }) =>
      (documents) =>
        documents[0] && evalExpr(documents[0], operand, options),
  ),
  $last: ofWindow((operand, { options }) => (documents) => {
    const last = documents.at(-1);
    return last && evalExpr(last, operand, options);
  }),
  $count: ofWindow((operand) => {
    if (isDocument(operand) && Object.keys(operand).length === 0) return (documents) => documents.length;
    throw new CommandError(9, '$count takes no arguments, i.e. $count:{}');
  }),
  $derivative: ofWindow($derivative),
  $integral: ofWindow($integral),
};

/** @throws CommandError for what is no function of a window, or has arguments or bounds that it does not take */
export function compileWindowFunction(name: string, operand: unknown, given: WindowOptions): WindowFunction {
  const overPartition = OVER_THE_PARTITION[name];
  if (overPartition) {
    if (!given.window) return overPartition(operand, given);
    const isRank = ['$rank', '$denseRank', '$documentNumber'].includes(name);
    throw new CommandError(isRank ? 5371601 : 9, `${name} does not accept a 'window' field`);
  }
  const overWindow = OVER_THE_WINDOW[name];
  if (overWindow) return overWindow(operand, given);
  const { window = WHOLE_PARTITION, options, fold } = given;
  if (!isAccumulator(name) || name === '$mergeObjects') {
    throw new CommandError(9, `Unrecognized window function, ${name}`);
  }
  if (name === '$avg') return average(operand, given);
  if (name === '$sum') {
    return (documents) => {
      const values = documents.map((document) => evalExpr(document, operand, options));
      const totals = ofEachWindow(documents, window, (from, to, before) =>
        before ? added(values.slice(before.to, to), before.value as Total) : added(values.slice(from, to)),
      );
      return totals.map((total) => amount(total as Total));
    };
  }
  const own = OWN_ACCUMULATORS[name];
  if (own) {
    return (documents) => {
      const values = documents.map((document) => evalExpr(document, operand, options));
      return ofEachWindow(documents, window, (from, to, before) =>
        before && RUNNING.includes(name)
          ? own([before.value, ...values.slice(before.to, to)], fold)
          : own(values.slice(from, to), fold),
      );
    };
  }
  return (documents) =>
    ofEachWindow(documents, window, (from, to) => evalExpr(documents.slice(from, to), { [name]: operand }, options));
}

/** By totals, which can go on from window to window. */
function average(operand: unknown, given: WindowOptions): WindowFunction {
  const [sums, counts] = [operand, { $cond: [{ $isNumber: operand }, 1, 0] }].map((summand) =>
    compileWindowFunction('$sum', summand, given),
  ) as [WindowFunction, WindowFunction];
  return (documents) => {
    const counted = counts(documents) as number[];
    return sums(documents).map((sum, i) => (counted[i] ? quotient(sum as BsonNumber, counted[i]) : null));
  };
}

interface Made {
  from: number;
  to: number;
  value: unknown;
}

/** What is made of each window, and of the same one once. `make` is told of the one before where this has all of that, and more. */
function ofEachWindow(
  documents: Document[],
  window: Window,
  make: (from: number, to: number, before?: Made) => unknown,
): unknown[] {
  const spanOf = window(documents);
  let last: Made | undefined;
  return documents.map((_document, i) => {
    const [from, to] = spanOf(i);
    if (last?.from === from && last.to === to) return last.value;
    const hasGrown = last?.from === from && last.to <= to && last.to > from;
    last = { from, to, value: make(from, to, hasGrown ? last : undefined) };
    return last.value;
  });
}

function ofWindow(compile: (operand: unknown, given: WindowOptions) => (documents: Document[]) => unknown): Compile {
  return (operand, given) => {
    const make = compile(operand, given);
    const { window = WHOLE_PARTITION } = given;
    return (documents) =>
      ofEachWindow(documents, window, (from, to) =>
        from === to ? (make([]) ?? null) : make(documents.slice(from, to)),
      );
  };
}
