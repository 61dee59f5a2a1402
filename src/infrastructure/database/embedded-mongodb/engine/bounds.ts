import { BSONRegExp } from 'bson';
import { isDocument, isOperatorDocument, type Document } from '../values/document.js';
import { toDouble } from '../values/numbers.js';
import { encode, inverted } from '../values/order.js';
import { literalPrefix } from '../values/regex.js';
import { isNumber, isRegExp, rankOf, typeName } from '../values/bson-types.js';
import { encodeField, type IndexDefinition } from './indexes.js';

/** A condition of a filter on one field, as far as an index can use it. */
export interface Demand {
  /** The field equals one of these. */
  points?: unknown[];
  /** The field is beyond this value, and has its type. */
  limit?: Limit;
  /** The field is a string that begins with this text, or it is the regular expression itself. */
  beginning?: Beginning;
}

type Limit = { isLower: boolean; value: unknown };
type Beginning = { text: string; pattern: unknown };

/** A range of encoded index values; it may contain more than the filter accepts, never less. */
export interface Bounds {
  from: Buffer;
  to: Buffer;
}

/** A part of a path that may be a position: more counts as missing to a filter (filteredLeaves) than an index has as null. */
const POSITION = /\.\d+(?:\.|$)/;

/** Appended to bytes, it sorts behind everything that begins with them. */
export const HIGHEST = Buffer.from([0xff]);

/** The conditions that every matching document fulfils, by path: those at the top level and in $and. */
export function demandsOf(filter: Document, demands = new Map<string, Demand[]>()): Map<string, Demand[]> {
  for (const [key, operand] of Object.entries(filter)) {
    if (key === '$and' && Array.isArray(operand)) {
      for (const part of operand) if (isDocument(part)) demandsOf(part, demands);
    } else if (!key.startsWith('$')) {
      const operators = isOperatorDocument(operand) ? operand : { $eq: operand };
      if (isDocument(operators.$elemMatch)) demandsOf(ofElement(key, operators.$elemMatch), demands);
      const found = Object.entries(operators)
        .flatMap(([name, value]) => demandOf(name, value, operators))
        .filter((demand) => impliesPresence(demand) || !POSITION.test(key));
      demands.set(key, [...(demands.get(key) ?? []), ...found]);
    }
  }
  return demands;
}

/** What a filter of an array's elements demands of the document, as far as each condition goes alone. */
function ofElement(path: string, filter: Document): Document {
  // An index has the elements of an array, but not those of an array among them.
  if (isOperatorDocument(filter)) return '$elemMatch' in filter ? {} : { [path]: filter };
  // A number is a field of an element here, or a place in an element that is an array; in a path, a place in the outer array.
  const fields = Object.entries(filter).filter(([name]) => !/^(?:\$|\d+(?:\.|$))/.test(name));
  return Object.fromEntries(fields.map(([name, operand]) => [`${path}.${name}`, operand]));
}

function demandOf(operator: string, operand: unknown, operators: Document): Demand[] {
  switch (operator) {
    case '$eq':
      return isRegExp(operand) ? beginningDemand(operand) : pointDemand([operand]);
    case '$in':
      return Array.isArray(operand) ? pointDemand(operand) : [];
    case '$regex':
      return operators.$options === undefined ? beginningDemand(toPattern(operand)) : [];
    case '$gt':
    case '$gte':
      return limitDemand(true, operand);
    case '$lt':
    case '$lte':
      return limitDemand(false, operand);
    default:
      return [];
  }
}

function pointDemand(points: unknown[]): Demand[] {
  // Not a single key: an array operand matches elements too, and a regular expression matches strings.
  return points.some((point) => Array.isArray(point) || isRegExp(point)) ? [] : [{ points }];
}

function toPattern(operand: unknown): unknown {
  return typeof operand === 'string' ? new BSONRegExp(operand) : operand;
}

function beginningDemand(pattern: unknown): Demand[] {
  const text = isRegExp(pattern) ? literalPrefix(pattern).text : '';
  return text === '' ? [] : [{ beginning: { text, pattern } }];
}

function limitDemand(isLower: boolean, value: unknown): Demand[] {
  const hasNoOrder = isNumber(value) && Number.isNaN(toDouble(value));
  const isUnusable = hasNoOrder || ['missing', 'null', 'array', 'minKey', 'maxKey'].includes(typeName(value));
  return isUnusable ? [] : [{ limit: { isLower, value } }];
}

/** Whether the condition excludes fields that are missing or null. */
export function impliesPresence({ points = [] }: Demand): boolean {
  return points.every((point) => point !== null && point !== undefined);
}

export function operandsOf({ points, limit, beginning }: Demand): unknown[] {
  return points ?? [limit?.value ?? beginning?.text];
}

/** The values that a condition gives an index's field, without duplicates and in the order of the index. */
export function pointBounds(index: IndexDefinition, position: number, points: unknown[]): Buffer[] {
  const encoded = points.map((point) => encodeField(index, position, point));
  return [...new Map(encoded.map((bytes) => [bytes.toString('latin1'), bytes])).values()].sort(Buffer.compare);
}

/** The ranges that the conditions leave of a field, in the order of the index. @param holdsArrays as in the planner's narrow() */
export function rangeBounds(
  index: IndexDefinition,
  position: number,
  demands: Demand[],
  holdsArrays: () => boolean,
): Bounds[] | undefined {
  const beginning = demands.find((demand) => demand.beginning)?.beginning;
  // With a collation, equal texts need not begin with the same bytes.
  if (beginning && !index.fold) return beginningBounds(index, position, beginning);
  const all = demands.flatMap(({ limit }) => (limit ? [limitBounds(index, position, limit)] : []));
  if (all.length < 2) return all.length === 0 ? undefined : all;
  // Two bounds may be met by two different elements of an array.
  return [holdsArrays() ? (all[0] as Bounds) : all.reduce(intersection)];
}

function intersection(a: Bounds, b: Bounds): Bounds {
  return {
    from: Buffer.compare(a.from, b.from) > 0 ? a.from : b.from,
    to: Buffer.compare(a.to, b.to) < 0 ? a.to : b.to,
  };
}

function beginningBounds(index: IndexDefinition, position: number, { text, pattern }: Beginning): Bounds[] {
  const withoutEnd = encode(text).subarray(0, -2);
  const itself = encodeField(index, position, pattern);
  const same = { from: itself, to: Buffer.concat([itself, HIGHEST]) };
  if (!index.fields[position]?.descending) {
    return [{ from: withoutEnd, to: Buffer.concat([withoutEnd, HIGHEST]) }, same];
  }
  const from = inverted(withoutEnd);
  const to = Buffer.from(from);
  // In descending order a text ends with bytes of ones, behind which nothing appended would sort.
  to[to.length - 1] = (to[to.length - 1] as number) + 1;
  return [same, { from, to }];
}

function limitBounds(index: IndexDefinition, position: number, { isLower, value }: Limit): Bounds {
  const bytes = encodeField(index, position, value);
  const isDescending = index.fields[position]?.descending ?? false;
  const firstOfType = isDescending ? 0xff - rankOf(value) : rankOf(value);
  return isLower !== isDescending
    ? { from: bytes, to: Buffer.from([firstOfType + 1]) }
    : { from: Buffer.from([firstOfType]), to: Buffer.concat([bytes, HIGHEST]) };
}
