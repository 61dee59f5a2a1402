import { evalExpr } from 'mingo/core';
import { CommandError } from '../../command-error.js';
import { compileSortKey } from '../../values/sort-key.js';
import { isNumber } from '../../values/bson-types.js';
import { isDocument, type Document } from '../../values/document.js';
import { toDouble, toInteger } from '../../values/numbers.js';
import { $linearFill } from './series-functions.js';
import { onlySortPath, type Compile } from './window-options.js';

/** They have no window of their own. */
export const OVER_THE_PARTITION: Record<string, Compile> = {
  $documentNumber: ranking((_isTie, { number }) => number),
  $rank: ranking((isTie, { number, rank }) => (isTie ? rank : number)),
  $denseRank: ranking((isTie, { rank }) => (isTie ? rank : rank + 1)),
  $shift: (operand, { sortBy, options }) => {
    const { output, by, default: other = null } = operand as Document;
    if (!sortBy) throw new CommandError(9, "'$shift' requires a sortBy");
    const distance = toInteger(by, '$shift.by', 9);
    const whenOutside = evalExpr({}, other, options);
    return (documents) =>
      documents.map((_document, i) => {
        const shifted = documents[i + distance];
        return shifted ? evalExpr(shifted, output, options) : whenOutside;
      });
  },
  $expMovingAvg: (operand, { sortBy, options }) => {
    const { input, N, alpha } = operand as Document;
    if (!sortBy || (N === undefined) === (alpha === undefined)) {
      throw new CommandError(
        9,
        "$expMovingAvg requires an explicit 'sortBy', and either an 'N' field or an 'alpha' field",
      );
    }
    const weight = alpha === undefined ? 2 / (toInteger(N, 'N', 9) + 1) : isNumber(alpha) ? toDouble(alpha) : NaN;
    const isValid = alpha === undefined ? weight > 0 && weight <= 1 : weight > 0 && weight < 1;
    if (!isValid) throw new CommandError(9, "'N' must be greater than zero, 'alpha' between 0 and 1 (exclusive)");
    return (documents) => {
      let average: number | null = null;
      return documents.map((document) => {
        const value = evalExpr(document, input, options);
        if (!isNumber(value)) return average;
        return (average = average === null ? toDouble(value) : toDouble(value) * weight + average * (1 - weight));
      });
    };
  },
  $locf:
    (operand, { options }) =>
    (documents) => {
      let last: unknown = null;
      return documents.map((document) => (last = evalExpr(document, operand, options) ?? last));
    },
  $linearFill,
};

/** Of documents that sort alike, all but the first are ties. */
function ranking(next: (isTie: boolean, at: { number: number; rank: number }) => number): Compile {
  return (operand, { sortBy, fold }) => {
    if (!isDocument(operand) || Object.keys(operand).length > 0) {
      throw new CommandError(5371603, "A rank must be specified with '{}' as the value");
    }
    onlySortPath('A rank', sortBy, 5371602);
    const keyOf = compileSortKey(sortBy as Document, fold);
    return (documents) => {
      let before: Buffer | undefined;
      let rank = 0;
      return documents.map((document, i) => {
        const key = keyOf(document);
        rank = next(before?.equals(key) ?? false, { number: i + 1, rank });
        before = key;
        return rank;
      });
    };
  };
}
