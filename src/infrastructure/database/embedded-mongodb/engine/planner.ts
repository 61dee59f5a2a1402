import { CommandError } from '../command-error.js';
import { plainScope } from '../expressions/expression.js';
import { compileFilter } from '../query/filter.js';
import { indexRange } from '../storage/keys.js';
import type { View } from '../storage/view.js';
import type { Fold } from '../values/collation.js';
import { isDocument, withField, type Document } from '../values/document.js';
import { encode, equal } from '../values/order.js';
import { typeName } from '../values/bson-types.js';
import {
  demandsOf,
  HIGHEST,
  impliesPresence,
  operandsOf,
  pointBounds,
  rangeBounds,
  type Bounds,
  type Demand,
} from './bounds.js';
import { HASH_BYTES, indexesFor, LONGEST_VALUES, shortened, type Collection, type IndexDefinition } from './indexes.js';
import { isMultikey } from './records.js';

export interface Plan {
  /** Of an $or, that of each branch. */
  indexes: IndexDefinition[];
  /** Key ranges in LMDB that include all matching records. */
  ranges: [Buffer, Buffer][];
  isReverse?: boolean;
  /** How much of the filter the index covers, for comparing plans. */
  score: number;
}

/** What of a query decides on its plan. */
export interface Request {
  filter: Document;
  sort?: Document | undefined;
  fold?: Fold | undefined;
  hint?: unknown;
}

/** Score of an index's field that the filter restricts to values, or to a range; a unique index beats all others. */
const SCORE = { point: 10, range: 3, unique: 1000 };
const MOST_COMBINATIONS = 1000;
const EVERYTHING: Bounds = { from: Buffer.alloc(0), to: HIGHEST };

/** The best plan for a filter; undefined if the whole collection has to be read. */
export function plan(view: View, collection: Collection, request: Request): Plan | undefined {
  const demands = demandsOf(request.filter);
  const candidates = hinted(collection, request.hint);
  const usable = candidates.filter((index) => isUsable(index, demands, request));
  const found = best(usable.map((index) => narrow(index, demands, isFew, () => isMultikey(view, index))));
  const branches = planBranches(view, collection, request);
  if (branches && branches.score >= (found?.score ?? 0)) return branches;
  return found && found.score > 0 ? planFor(found) : hintedOrder(collection, request.hint, candidates);
}

/** One field may have any number of values. */
function isFew(prefixes: number, points: number): boolean {
  return Math.min(prefixes, points) === 1 || prefixes * points <= MOST_COMBINATIONS;
}

/**
 * An $or whose branches all have a plan. Unless each is for one document, the union may be most of a collection: it scores as nothing,
 * so that an index in the order of the sort, with which little more than the first page is read, is better.
 */
function planBranches(view: View, collection: Collection, request: Request): Plan | undefined {
  if (!('$or' in request.filter)) return undefined;
  const { $or: branches, ...others } = request.filter;
  if (!Array.isArray(branches) || !branches.every(isDocument)) return undefined;
  const planned: Plan[] = [];
  for (const branch of branches) {
    const found = plan(view, collection, { ...request, filter: { $and: [others, branch] } });
    if (!found) return undefined;
    planned.push(found);
  }
  return {
    indexes: planned.flatMap(({ indexes }) => indexes),
    ranges: planned.flatMap(({ ranges }) => ranges),
    score: planned.every(({ score }) => score >= SCORE.unique) ? SCORE.unique : 0,
  };
}

/**
 * The best index that yields matches in the order of a sort: its first fields have one value each by the filter, and the fields of
 * the sort follow. So little more than the first page has to be read to find it. Values that differ only after their first 1,860
 * bytes are in no particular order.
 */
export function planOrder(view: View, collection: Collection, request: Request): Plan | undefined {
  const { filter, sort = {}, fold, hint = null } = request;
  if (fold || hint !== null) return undefined;
  const demands = demandsOf(filter);
  // An array has several entries in an index, and the bounds decide which of them counts for the order.
  const usable = collection.indexes.filter(
    (index) => isUsable(index, demands, request) && !index.fold && !isMultikey(view, index),
  );
  const narrowed = usable.map((index) => narrow(index, demands, (_prefixes, points) => points === 1));
  const found = best(narrowed.filter((one) => directionOf(one, sort) !== undefined));
  if (!found) return undefined;
  const isReverse = directionOf(found, sort) === true;
  const { ranges, ...planned } = planFor(found);
  return { ...planned, ranges: isReverse ? ranges.reverse() : ranges, isReverse };
}

function best(all: Narrowed[]): Narrowed | undefined {
  return all.toSorted((a, b) => b.score - a.score)[0];
}

/** Whether an index has to be read backwards for an order, given that its first fields have one value each; undefined if it cannot serve it. */
function directionOf({ index, length }: Narrowed, sort: Document): boolean | undefined {
  const fixedPaths = index.fields.slice(0, length).map(({ path }) => path);
  const turned = Object.entries(sort)
    .filter(([path]) => !fixedPaths.includes(path))
    .map(([path, direction], i) => {
      const field = index.fields[length + i];
      return field?.path === path ? (Number(direction) === -1) !== field.descending : undefined;
    });
  return turned.every((turn) => turn === turned[0]) ? turned[0] : undefined;
}

/** The plan for a hint: documents come in the index's order and, from a sparse or partial index, only those that are in it. */
function hintedOrder({ indexes }: Collection, hint: unknown, [index]: readonly IndexDefinition[]): Plan | undefined {
  const isFollowed = index && hint && index !== indexes[0];
  return isFollowed ? planFor(narrow(index, new Map(), isFew)) : undefined;
}

function hinted(collection: Collection, hint: unknown): readonly IndexDefinition[] {
  if (hint === undefined || hint === null || hint === '' || equal(hint, {})) return collection.indexes;
  if (isDocument(hint) && '$natural' in hint) return [];
  const wanted = indexesFor(collection, hint);
  if (wanted.length === 0) throw new CommandError(2, 'hint provided does not correspond to an existing index');
  if (wanted.length > 1) throw new CommandError(27, 'Hint matched multiple indexes, must hint by index name');
  return wanted;
}

function isUsable(index: IndexDefinition, demands: Map<string, Demand[]>, { filter, fold }: Request): boolean {
  const ofFields = index.fields.flatMap(({ path }) => demands.get(path) ?? []);
  if (index.isSparse && !ofFields.some(impliesPresence)) return false;
  // Texts that are equal in one collation need not be equal in another.
  if (index.partialFilter && index.fold !== fold) return false;
  if (index.partialFilter && !implies(filter, demands, index.partialFilter, index.fold)) return false;
  return index.fold === fold || !ofFields.flatMap(operandsOf).some(dependsOnCollation);
}

function dependsOnCollation(value: unknown): boolean {
  return ['string', 'symbol', 'object', 'array'].includes(typeName(value));
}

/** Whether a partial index certainly contains every document that the filter accepts. */
function implies(filter: Document, demands: Map<string, Demand[]>, partialFilter: Document, fold?: Fold): boolean {
  return Object.entries(partialFilter).every(([key, operand]) => {
    if (key === '$and') return (operand as Document[]).every((part) => implies(filter, demands, part, fold));
    if (key in filter && encode([filter[key]]).equals(encode([operand]))) return true;
    if (key.startsWith('$')) return false;
    const accepts = compileFilter({ [key]: operand }, plainScope(fold));
    const isAccepted = (point: unknown): boolean => accepts(withField({}, key.split('.'), point));
    return demands
      .get(key)
      ?.some((demand) => demand.points && impliesPresence(demand) && demand.points.every(isAccepted));
  });
}

interface Narrowed {
  index: IndexDefinition;
  score: number;
  /** How many leading fields of the index have known values. */
  length: number;
  /** Their encoded values, in every combination. */
  prefixes: Buffer[];
  /** The ranges of the next field. */
  ranges: Bounds[] | undefined;
}

/**
 * @param isWorthwhile whether to look for the values of another field behind those of the fields before it
 * @param holdsArrays whether an indexed field may be an array. Two conditions on or below one array may then be met by two elements,
 *   while an index entry is of one element: only one of the conditions can be used
 */
function narrow(
  index: IndexDefinition,
  demands: Map<string, Demand[]>,
  isWorthwhile: (prefixes: number, points: number) => boolean,
  holdsArrays = (): boolean => false,
): Narrowed {
  let prefixes = [Buffer.alloc(0)];
  for (const [position, { path, parts }] of index.fields.entries()) {
    const isBeside = index.fields.slice(0, position).some((other) => other.parts[0] === parts[0]);
    const ofField = isBeside && holdsArrays() ? [] : (demands.get(path) ?? []);
    const [points] = ofField
      .flatMap((demand) => (demand.points ? [demand.points] : []))
      .sort((a, b) => a.length - b.length);
    if (!points || !isWorthwhile(prefixes.length, points.length)) {
      const ranges = rangeBounds(index, position, ofField, holdsArrays);
      return { index, length: position, prefixes, ranges, score: position * SCORE.point + (ranges ? SCORE.range : 0) };
    }
    const encoded = pointBounds(index, position, points);
    prefixes = prefixes.flatMap((prefix) => encoded.map((bytes) => Buffer.concat([prefix, bytes])));
  }
  const { length } = index.fields;
  return { index, length, prefixes, ranges: undefined, score: index.isUnique ? SCORE.unique : length * SCORE.point };
}

function planFor({ index, length, prefixes, ranges: behind = [EVERYTHING], score }: Narrowed): Plan {
  const isWhole = length === index.fields.length;
  const ranges = prefixes.flatMap((prefix) =>
    isWhole ? [keyRange(index, shortened(prefix))] : behind.map((bounds) => cutRange(index, prefix, bounds)),
  );
  return { indexes: [index], ranges, score };
}

function keyRange(
  { id }: IndexDefinition,
  from: Buffer,
  to: Buffer = Buffer.concat([from, HIGHEST]),
): [Buffer, Buffer] {
  const [start] = indexRange(id);
  return [Buffer.concat([start, from]), Buffer.concat([start, to])];
}

/** Behind whatever follows a long value that was cut in the index: a hash, and the record's id. */
const BEHIND_THE_HASH = Buffer.alloc(HASH_BYTES + 1, 0xff);

/** Long values are cut in the index, so bounds are cut too; they may then contain a little more than asked for. */
function cutRange(index: IndexDefinition, prefix: Buffer, bounds: Bounds): [Buffer, Buffer] {
  const [from, to] = [bounds.from, bounds.to].map((bound) => Buffer.concat([prefix, bound])) as [Buffer, Buffer];
  const end = to.length > LONGEST_VALUES ? Buffer.concat([to.subarray(0, LONGEST_VALUES), BEHIND_THE_HASH]) : to;
  return keyRange(index, from.subarray(0, LONGEST_VALUES), end);
}
