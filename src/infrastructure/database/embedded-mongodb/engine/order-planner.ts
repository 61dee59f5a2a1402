import { indexRange } from '../storage/keys.js';
import type { View } from '../storage/view.js';
import type { Document } from '../values/document.js';
import { demandsOf, pointBounds, rangeBounds, type Demand } from './bounds.js';
import type { Collection } from './catalogue.js';
import type { IndexDefinition } from './index-definition.js';
import { beginningWith, behind, isUsable, keyRange, type Plan, type PlannerOptions, SCORE } from './planner.js';
import { isMultikey } from './records.js';

/**
 * The best index that has what a filter accepts in the order of a sort: some fields that the filter gives one value each,
 * then those of the sort. So the first page is found by looking at little more than the first page. Values that only
 * differ after their first 1,860 bytes are in no particular order in it.
 */
export function planOrder(
  view: View,
  collection: Collection,
  filter: Document,
  sort: Document,
  options: PlannerOptions,
): Plan | undefined {
  if (options.fold || (options.hint !== undefined && options.hint !== null)) return undefined;
  const demands = demandsOf(filter);
  let best: Plan | undefined;
  for (const index of collection.indexes) {
    // An array stands in several places of an index, and which of them counts depends on the bounds.
    if (!isUsable(index, filter, demands, options) || index.fold || isMultikey(view, index)) continue;
    const found = inOrder(index, demands, sort);
    if (found && found.score > (best?.score ?? -1)) best = found;
  }
  return best;
}

function inOrder(index: IndexDefinition, demands: Map<string, Demand[]>, sort: Document): Plan | undefined {
  const { values, prefix } = fixedFields(index, demands);
  const order = Object.entries(sort).filter(([path]) => !values.has(path));
  const fields = index.fields.slice(values.size, values.size + order.length);
  const turned = order.map(([path, direction], i) =>
    fields[i]?.path === path ? (Number(direction) === -1) !== fields[i].descending : undefined,
  );
  const [isReverse] = turned;
  if (isReverse === undefined || turned.some((turn) => turn !== isReverse)) return undefined;
  const ranges = rangeBounds(index, values.size, demands.get(fields[0]?.path ?? '') ?? []);
  const bounds = ranges ? behind(prefix, ranges) : [beginningWith(prefix)];
  const isWhole = values.size === 0 && !ranges;
  const keys = isWhole ? [indexRange(index.id)] : bounds.map((bound) => keyRange(index, bound));
  const score = values.size * SCORE.point + (ranges ? SCORE.range : 0);
  return { index, ranges: isReverse ? keys.reverse() : keys, isReverse, score };
}

/** The leading fields of an index that the filter gives one value each. */
function fixedFields(
  index: IndexDefinition,
  demands: Map<string, Demand[]>,
): { values: ReadonlySet<string>; prefix: Buffer } {
  const values = new Set<string>();
  const parts: Buffer[] = [];
  for (const [position, { path }] of index.fields.entries()) {
    const points = (demands.get(path) ?? []).find((demand) => demand.points?.length === 1)?.points;
    if (!points) break;
    values.add(path);
    parts.push(...pointBounds(index, position, points));
  }
  return { values, prefix: Buffer.concat(parts) };
}
