import { ObjectId } from 'bson';
import { isLiteralPrefix, isRegExp } from '../values/regex.js';
import type { Document } from '../values/document.js';
import { isNumber } from '../values/numbers.js';
import type { View } from '../storage/view.js';
import type { Collection } from './catalogue.js';
import { LONGEST_VALUES } from './index-entries.js';
import { plan, type Plan, type PlannerOptions } from './planner.js';
import { isMultikey } from './records.js';

/**
 * How many documents a filter accepts, counted in an index that says all the filter asks for, without a look at any of
 * them. @returns undefined where the documents have to be looked at
 */
export function coveredCount(
  view: View,
  collection: Collection,
  filter: Document,
  options: PlannerOptions,
  most: number,
): number | undefined {
  const planned = plan(collection, filter, options);
  if (!planned || options.fold || planned.index.fold || isMultikey(view, planned.index)) return undefined;
  if (!saysAll(planned, filter)) return undefined;
  let count = 0;
  for (const [from, to] of planned.ranges) {
    for (const _entry of view.range(from, to)) if (++count >= most) return count;
  }
  return count;
}

/** Whether the plan's ranges hold nothing that the filter refuses. */
function saysAll({ index, ranges }: Plan, filter: Document): boolean {
  const fields = index.fields.slice(0, Object.keys(filter).length);
  const asked = fields.map(({ path }) => filter[path]);
  const values = isRegExp(asked.at(-1)) ? asked.slice(0, -1) : asked;
  const beginning = asked[values.length];
  const isExact =
    values.every(isPlain) && (beginning === undefined || (isRegExp(beginning) && isLiteralPrefix(beginning)));
  // A value that is cut in the index may be one of several.
  return (
    fields.length === Object.keys(filter).length && isExact && ranges.every(([from]) => from.length < LONGEST_VALUES)
  );
}

function isPlain(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    value instanceof ObjectId ||
    value instanceof Date ||
    isNumber(value)
  );
}
