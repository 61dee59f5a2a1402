import { evalExpr } from 'mingo/core';
import { CommandError } from '../../command-error.js';
import { isNumber, typeName } from '../../values/bson-types.js';
import type { Document } from '../../values/document.js';
import { toDouble } from '../../values/numbers.js';
import { compare } from '../../values/order.js';
import type { Options } from '../../expressions/expression.js';
import { onlySortPath, type Compile, type WindowOptions } from './window-options.js';

const MILLISECONDS: Record<string, number> = {
  week: 604_800_000,
  day: 86_400_000,
  hour: 3_600_000,
  minute: 60_000,
  second: 1_000,
  millisecond: 1,
};

export const $linearFill: Compile = (operand, { sortBy, options }) => {
  const path = onlySortPath('$linearFill', sortBy, 605001);
  return (documents) => linear(documents.map((document) => point(document, path, operand, options)));
};

export function $derivative(operand: unknown, { sortBy, window, options }: WindowOptions) {
  const { input, unit } = operand as Document;
  const path = onlySortPath('$derivative', sortBy, 9);
  if (!window) throw new CommandError(9, '$derivative requires explicit window bounds');
  const scale = scaleOf('$derivative', unit);
  return (documents: Document[]): number | null => {
    if (documents.length === 0) return null;
    const ends = [documents[0], documents.at(-1)].map((one) =>
      measured('$derivative', point(one as Document, path, input, options), unit),
    );
    const [left, right] = ends as [Point, Point];
    const run = right.x - left.x;
    return run === 0 ? null : ((right.y - left.y) / run) * scale;
  };
}

export function $integral(operand: unknown, { sortBy, options }: WindowOptions) {
  const { input, unit } = operand as Document;
  const path = onlySortPath('$integral', sortBy, 9);
  const scale = scaleOf('$integral', unit);
  return (documents: Document[]): number | null => {
    const points = documents.map((one) => measured('$integral', point(one, path, input, options), unit));
    if (points.length === 0) return null;
    return points.slice(1).reduce((area, { x, y }, i) => {
      const left = points[i] as Point;
      return area + ((x - left.x) * (y + left.y)) / 2 / scale;
    }, 0);
  };
}

/** A value over what the documents are sorted by. */
interface Point {
  x: number;
  y: number;
}

function point(document: Document, path: unknown, input: unknown, options: Options): { x: unknown; y: unknown } {
  return { x: evalExpr(document, path, options), y: evalExpr(document, input, options) };
}

function scaleOf(name: string, unit: unknown): number {
  const scale = unit === undefined ? 1 : MILLISECONDS[String(unit)];
  if (scale !== undefined) return scale;
  throw new CommandError(5490704, `unit of ${name} must be 'week' or smaller`);
}

function measured(name: string, { x, y }: { x: unknown; y: unknown }, unit: unknown): Point {
  const isFitting = unit === undefined ? isNumber(x) : x instanceof Date;
  if (!isFitting) {
    throw new CommandError(5624902, `${name} expects the sortBy field to be a Date with 'unit', and numeric without`);
  }
  if (!isNumber(y)) throw new CommandError(5624903, `${name} input must be numeric`);
  return { x: Number(x), y: toDouble(y) };
}

/** On a straight line between the known values before and after; null where there is none before or none after. */
function linear(points: { x: unknown; y: unknown }[]): unknown[] {
  points.forEach(({ x, y }, i) => {
    const before = points[i - 1]?.x;
    if (!isNumber(x) && !(x instanceof Date)) {
      throw new CommandError(14, `Value of the sortBy field must be numeric or a date, but found ${typeName(x)}`);
    }
    if (y !== undefined && y !== null && !isNumber(y)) {
      throw new CommandError(14, `Value to be filled must be numeric or nullish, but found ${typeName(y)}`);
    }
    if (before === undefined) return;
    if (compare(before, x) === 0) throw new CommandError(6050106, 'There can be no repeated values in the sort field');
    if (before instanceof Date !== x instanceof Date) throw new CommandError(14, 'Conflicting sort value types');
  });
  const known = points.flatMap(({ x, y }) => (isNumber(y) ? [{ x: Number(x), y: toDouble(y) }] : []));
  let next = 0;
  return points.map(({ x, y }) => {
    if (isNumber(y)) {
      next += 1;
      return y;
    }
    const [left, right] = [known[next - 1], known[next]];
    return left && right ? left.y + ((Number(x) - left.x) * (right.y - left.y)) / (right.x - left.x) : null;
  });
}
