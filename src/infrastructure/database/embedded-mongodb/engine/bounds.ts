import { MaxKey, MinKey } from 'bson';
import { isOperatorDocument } from '../query/filter.js';
import { isDocument, type Document } from '../values/document.js';
import { isNumber, toDouble } from '../values/numbers.js';
import { encode, inverted, rankOf } from '../values/order.js';
import { isRegExp, literalPrefix } from '../values/regex.js';
import type { IndexDefinition } from './index-definition.js';
import { encodeField } from './index-entries.js';

/** What a filter demands of one field, as far as an index can tell. */
export interface Demand {
  /** The field equals one of these. */
  points?: unknown[];
  /** The field is beyond this value, and of its type. */
  limit?: { isLower: boolean; value: unknown };
  /** The field is a string that begins so, or it is the regular expression itself. */
  beginning?: { text: string; pattern: unknown };
}

/** A range of encoded index values; it may hold more than the filter accepts, never less. */
export interface Bounds {
  from: Buffer;
  to: Buffer;
}

/** The demands every matching document fulfils: top level and $and. */
export function demandsOf(filter: Document): Map<string, Demand[]> {
  const demands = new Map<string, Demand[]>();
  collect(filter, demands);
  return demands;
}

function collect(filter: Document, demands: Map<string, Demand[]>): void {
  for (const [key, operand] of Object.entries(filter)) {
    if (key === '$and' && Array.isArray(operand)) {
      for (const part of operand) if (isDocument(part)) collect(part, demands);
    } else if (!key.startsWith('$')) {
      const found = isOperatorDocument(operand) ? fromOperators(operand) : pointDemand([operand]);
      demands.set(key, [...(demands.get(key) ?? []), ...found]);
    }
  }
}

function fromOperators(operators: Document): Demand[] {
  return Object.entries(operators).flatMap(([operator, operand]): Demand[] => {
    switch (operator) {
      case '$eq':
        return pointDemand([operand]);
      case '$in':
        return Array.isArray(operand) ? pointDemand(operand) : [];
      case '$regex':
        return operators['$options'] === undefined ? beginningDemand(operand) : [];
      case '$gt':
      case '$gte':
        return limitDemand(true, operand);
      case '$lt':
      case '$lte':
        return limitDemand(false, operand);
      default:
        return [];
    }
  });
}

function pointDemand(points: unknown[]): Demand[] {
  // An array operand also matches as an element, a regular expression also matches strings: no single key finds them.
  if (points.length === 1 && isRegExp(points[0])) return beginningDemand(points[0]);
  return points.some((point) => Array.isArray(point) || isRegExp(point)) ? [] : [{ points }];
}

function beginningDemand(pattern: unknown): Demand[] {
  const text = isRegExp(pattern) ? literalPrefix(pattern) : '';
  return text === '' ? [] : [{ beginning: { text, pattern } }];
}

function limitDemand(isLower: boolean, value: unknown): Demand[] {
  const isUnusable =
    value === null ||
    value === undefined ||
    Array.isArray(value) ||
    value instanceof MinKey ||
    value instanceof MaxKey ||
    (isNumber(value) && Number.isNaN(toDouble(value)));
  return isUnusable ? [] : [{ limit: { isLower, value } }];
}

/** True where no field value can be missing or null for the demand to hold. */
export function impliesPresence(demand: Demand): boolean {
  return demand.points ? demand.points.every((point) => point !== null && point !== undefined) : true;
}

export function operandsOf(demand: Demand): unknown[] {
  return demand.points ?? [demand.limit?.value ?? demand.beginning?.text];
}

export function pointBounds(index: IndexDefinition, position: number, points: unknown[]): Buffer[] {
  const encoded = points.map((point) => encodeField(index, position, point));
  return [...new Map(encoded.map((bytes) => [bytes.toString('latin1'), bytes])).values()];
}

/** Those of the demand that narrows the field most; in the order of the index. */
export function rangeBounds(index: IndexDefinition, position: number, demands: Demand[]): Bounds[] | undefined {
  const beginning = demands.find((demand) => demand.beginning)?.beginning;
  // What folds to the same text need not begin with the same bytes.
  if (beginning && !index.fold) return beginningBounds(index, position, beginning);
  const limit = demands.find((demand) => demand.limit)?.limit;
  return limit && [limitBounds(index, position, limit)];
}

function beginningBounds(
  index: IndexDefinition,
  position: number,
  { text, pattern }: { text: string; pattern: unknown },
): Bounds[] {
  const withoutEnd = encode(text).subarray(0, -2);
  const itself = encodeField(index, position, pattern);
  const same = { from: itself, to: Buffer.concat([itself, Buffer.from([0xff])]) };
  if (!index.fields[position]?.descending) {
    return [{ from: withoutEnd, to: Buffer.concat([withoutEnd, Buffer.from([0xff])]) }, same];
  }
  const from = inverted(withoutEnd);
  const to = Buffer.from(from);
  // The end of a text is all ones in descending order, so nothing that is appended would lie behind it.
  to[to.length - 1] = (to[to.length - 1] as number) + 1;
  return [same, { from, to }];
}

/**
 * Only one limit is ever used: two of them may be met by two different elements of an array.
 */
export function limitBounds(
  index: IndexDefinition,
  position: number,
  limit: { isLower: boolean; value: unknown },
): Bounds {
  const value = encodeField(index, position, limit.value);
  const rank = encode(limit.value)[0] ?? rankOf(limit.value);
  const { descending } = index.fields[position] ?? { descending: false };
  const firstOfType = descending ? 0xff - rank : rank;
  const towardsEnd = limit.isLower !== descending;
  return towardsEnd
    ? { from: value, to: Buffer.from([firstOfType + 1]) }
    : { from: Buffer.from([firstOfType]), to: Buffer.concat([value, Buffer.from([0xff])]) };
}
