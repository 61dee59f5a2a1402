import type { View } from '../storage/view.js';
import type { Document } from '../values/document.js';
import { isLiteralPrefix } from '../values/regex.js';
import { isRegExp, typeName } from '../values/types.js';
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

const PLAIN = ['string', 'bool', 'objectId', 'date', 'int', 'long', 'double', 'decimal'];

/** Whether the plan's ranges hold nothing that the filter refuses: plain values, then perhaps the beginning of a text. */
function saysAll({ index, ranges }: Plan, filter: Document): boolean {
  const paths = index.fields.slice(0, Object.keys(filter).length).map(({ path }) => path);
  const isExact = paths.every((path, i) => {
    const asked = filter[path];
    return PLAIN.includes(typeName(asked)) || (i === paths.length - 1 && isRegExp(asked) && isLiteralPrefix(asked));
  });
  // A value that is cut in the index may be one of several.
  return (
    isExact && paths.length === Object.keys(filter).length && ranges.every(([from]) => from.length < LONGEST_VALUES)
  );
}
