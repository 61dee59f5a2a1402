import { CommandError } from '../command-error.js';
import { compileFilter } from '../query/filter.js';
import { indexRange } from '../storage/keys.js';
import { Place } from '../values/place.js';
import type { Fold } from '../values/collation.js';
import { isDocument, type Document } from '../values/document.js';
import { encode, RANK, rankOf } from '../values/order.js';
import {
  demandsOf,
  impliesPresence,
  operandsOf,
  pointBounds,
  rangeBounds,
  type Bounds,
  type Demand,
} from './bounds.js';
import type { Collection } from './catalogue.js';
import type { IndexDefinition } from './index-definition.js';
import { LONGEST_VALUES } from './index-entries.js';

export interface Plan {
  index: IndexDefinition;
  /** LMDB key ranges whose records include all that match. */
  ranges: [Buffer, Buffer][];
  isReverse?: boolean;
  /** How much of the filter it covers, to compare plans. */
  score: number;
}

export interface PlannerOptions {
  fold?: Fold | undefined;
  /** Whether an index has the collation of the query. */
  hasCollation?: (index: IndexDefinition) => boolean;
  hint?: unknown;
}

/** What a field of an index is worth that the filter gives as values, or as a range; a unique index beats all. */
export const SCORE = { point: 10, range: 3, unique: 1000 };
const MOST_RANGES = 1000;
const HIGHEST = Buffer.from([0xff]);

/** The best index for a filter, or undefined where the whole collection has to be read. */
export function plan(collection: Collection, filter: Document, options: PlannerOptions = {}): Plan | undefined {
  const candidates = hinted(collection, options.hint);
  const demands = demandsOf(filter);
  let best: Plan | undefined;
  for (const index of candidates) {
    if (!isUsable(index, filter, demands, options)) continue;
    const found = boundsFor(index, demands);
    if (found && found.score > (best?.score ?? 0)) {
      best = { index, ranges: found.bounds.map((bounds) => keyRange(index, bounds)), score: found.score };
    }
  }
  return best ?? hintedOrder(collection, options.hint, candidates);
}

/** A hint also asks for the order of its index; one that lacks documents cannot give it. */
function hintedOrder(collection: Collection, hint: unknown, [index]: readonly IndexDefinition[]): Plan | undefined {
  if (!index || !hint || index.isSparse || index.partialFilter || index === collection.indexes[0]) return undefined;
  return { index, ranges: [indexRange(index.id)], score: 0 };
}

function hinted(collection: Collection, hint: unknown): readonly IndexDefinition[] {
  if (hint === undefined || hint === null || hint === '') return collection.indexes;
  if (isDocument(hint) && '$natural' in hint) return [];
  const wanted = collection.indexes.find((index) =>
    isDocument(hint) ? encode(hint).equals(encode(index.specification['key'])) : index.name === hint,
  );
  if (!wanted) throw new CommandError(2, 'hint provided does not correspond to an existing index');
  return [wanted];
}

export function isUsable(
  index: IndexDefinition,
  filter: Document,
  demands: Map<string, Demand[]>,
  options: PlannerOptions,
): boolean {
  if (index.specification['hidden'] === true) return false;
  const ofFields = index.fields.flatMap(({ path }) => demands.get(path) ?? []);
  if (index.isSparse && !ofFields.some(impliesPresence)) return false;
  if (index.partialFilter && !implies(filter, demands, index.partialFilter)) return false;
  const sameCollation = options.hasCollation ? options.hasCollation(index) : !index.fold;
  return sameCollation || !ofFields.flatMap(operandsOf).some(dependsOnCollation);
}

function dependsOnCollation(value: unknown): boolean {
  return ([RANK.string, RANK.object, RANK.array] as number[]).includes(rankOf(value));
}

/** Whether every document that the filter accepts is certain to be in a partial index. */
function implies(filter: Document, demands: Map<string, Demand[]>, partialFilter: Document): boolean {
  return Object.entries(partialFilter).every(([key, operand]) => {
    if (key === '$and') return (operand as Document[]).every((part) => implies(filter, demands, part));
    if (encode([filter[key]]).equals(encode([operand])) && key in filter) return true;
    if (key.startsWith('$')) return false;
    const accepts = compileFilter({ [key]: operand });
    return (demands.get(key) ?? []).some(
      (demand) =>
        demand.points && impliesPresence(demand) && demand.points.every((point) => accepts(holding(key, point))),
    );
  });
}

function holding(path: string, value: unknown): Document {
  const document: Document = {};
  new Place(document, path.split('.')).set(value);
  return document;
}

function boundsFor(
  index: IndexDefinition,
  demands: Map<string, Demand[]>,
): { score: number; bounds: Bounds[] } | undefined {
  let prefixes = [Buffer.alloc(0)];
  let score = 0;
  for (let position = 0; position < index.fields.length; position++) {
    const ofField = demands.get(index.fields[position]?.path ?? '') ?? [];
    const points = ofField
      .flatMap((demand) => (demand.points ? [demand.points] : []))
      .sort((a, b) => a.length - b.length)[0];
    if (points && points.length * prefixes.length <= MOST_RANGES) {
      const encoded = pointBounds(index, position, points);
      prefixes = prefixes.flatMap((prefix) => encoded.map((bytes) => Buffer.concat([prefix, bytes])));
      score += SCORE.point;
      continue;
    }
    const ranges = rangeBounds(index, position, ofField);
    if (!ranges) break;
    return { score: score + SCORE.range, bounds: prefixes.flatMap((prefix) => behind(prefix, ranges)) };
  }
  if (score === 0) return undefined;
  const isExact = score === index.fields.length * SCORE.point && index.isUnique;
  return { score: isExact ? SCORE.unique : score, bounds: prefixes.map(beginningWith) };
}

export function beginningWith(prefix: Buffer): Bounds {
  return { from: prefix, to: Buffer.concat([prefix.subarray(0, LONGEST_VALUES), HIGHEST]) };
}

export function behind(prefix: Buffer, bounds: Bounds[]): Bounds[] {
  return bounds.map(({ from, to }) => ({ from: Buffer.concat([prefix, from]), to: Buffer.concat([prefix, to]) }));
}

/** Long values were cut in the index, so bounds are cut as well: they then hold a little more than asked for. */
export function keyRange(index: IndexDefinition, { from, to }: Bounds): [Buffer, Buffer] {
  const [prefix] = indexRange(index.id);
  const cutTo = to.length > LONGEST_VALUES ? Buffer.concat([to.subarray(0, LONGEST_VALUES), HIGHEST]) : to;
  return [Buffer.concat([prefix, from.subarray(0, LONGEST_VALUES)]), Buffer.concat([prefix, cutTo])];
}
