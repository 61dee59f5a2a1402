import { ObjectId } from 'bson';
import { evalExpr } from 'mingo/core';
import * as expressions from 'mingo/operators/expression';
import { isDocument, type Document } from '../values/document.js';
import { literal, type Expression, type Options } from './expression.js';

const DAY_MS = 86_400_000;

/** They read one date, and mingo calculates them. */
const READERS = [
  '$year',
  '$month',
  '$isoWeek',
  '$isoDayOfWeek',
  '$dayOfWeek',
  '$dayOfMonth',
  '$dayOfYear',
  '$hour',
  '$minute',
  '$second',
  '$millisecond',
  '$dateToParts',
] as const;

/** Stands for a percent sign where mingo would look for a symbol behind it. */
const PERCENT = '\0';

const MONTHS: Record<string, number> = { month: 1, quarter: 3, year: 12 };

/** Expressions of dates that mingo lacks, or calculates otherwise than MongoDB. */
export const DATE_EXPRESSIONS: Record<string, Expression> = {
  ...Object.fromEntries(READERS.map((name) => [name, ofDate(expressions[name] as Expression)])),
  $week: ofDate((document, operand, options) => week(localDay(document, operand, options))),
  $isoWeekYear: ofDate((document, operand, options) => isoWeekYear(localDay(document, operand, options))),
  $dateToString: ofDate((document, operand, options) => {
    const format = evalExpr(document, (operand as Document).format, options);
    if (typeof format !== 'string') return expressions.$dateToString(document, operand, options);
    const day = localDay(document, operand, options);
    const own: Record<string, () => string> = {
      '%%': () => PERCENT,
      '%G': () => String(isoWeekYear(day)).padStart(4, '0'),
      '%U': () => String(week(day)).padStart(2, '0'),
    };
    const filled = format.replace(/%./g, (symbol) => own[symbol]?.() ?? symbol);
    const text = expressions.$dateToString(document, { ...(operand as Document), format: literal(filled) }, options);
    return String(text).replaceAll(PERCENT, '%');
  }),
  $dateFromParts: (document, operand, options) => {
    const parts = evalExpr(document, operand, options) as Document;
    return Object.values(parts).some((part) => part === undefined || part === null) ? null : fromParts(parts, options);
  },
  $dateAdd: (document, operand, options) => moved('$dateAdd', 1, evalExpr(document, operand, options), options),
  $dateSubtract: (document, operand, options) =>
    moved('$dateSubtract', -1, evalExpr(document, operand, options), options),
};

/** Nothing of nothing; an ObjectId stands for the moment in it. What calculates is given `{ date, … }` in any case. */
function ofDate(calculate: Expression): Expression {
  return (document, operand, options) => {
    const isDetailed = isDocument(operand) && 'date' in operand;
    const value = evalExpr(document, isDetailed ? operand.date : operand, options);
    if (value === undefined || value === null) {
      return isDetailed && 'onNull' in operand ? evalExpr(document, operand.onNull, options) : null;
    }
    return calculate(document, { ...(isDetailed ? operand : {}), date: literal(momentOf(value)) }, options);
  };
}

function momentOf(value: unknown): unknown {
  return value instanceof ObjectId ? value.getTimestamp() : value;
}

/** The day at the place that a timezone names, as midnight in UTC. */
function localDay(document: Document, operand: unknown, options: Options): Date {
  const { year, month, day } = expressions.$dateToParts(document, operand, options) as Record<string, number>;
  return new Date(Date.UTC(year as number, (month as number) - 1, day));
}

/** From 0, the days before the first Sunday. */
function week(day: Date): number {
  const dayOfYear = (day.getTime() - Date.UTC(day.getUTCFullYear(), 0, 1)) / DAY_MS;
  return Math.floor((dayOfYear + 7 - day.getUTCDay()) / 7);
}

/** The year in which the Thursday of its week lies (ISO 8601). */
function isoWeekYear(day: Date): number {
  return new Date(day.getTime() + (3 - ((day.getUTCDay() + 6) % 7)) * DAY_MS).getUTCFullYear();
}

function fromParts(parts: Document, options: Options): Date {
  const { hour = 0, minute = 0, second = 0, millisecond = 0, timezone } = parts as Record<string, number>;
  const time = Date.UTC(1970, 0, 1, hour, minute, second, millisecond);
  const local = new Date(dayOf(parts as Record<string, number>) + time);
  if (timezone === undefined) return local;
  // Where the clocks were put forward or back in between, the second look counts.
  const guess = new Date(local.getTime() - offsetAt(local, timezone, options));
  return new Date(local.getTime() - offsetAt(guess, timezone, options));
}

/** What is too large or too small for its part goes over to the next. */
function dayOf({
  year,
  month = 1,
  day = 1,
  isoWeekYear,
  isoWeek = 1,
  isoDayOfWeek = 1,
}: Record<string, number>): number {
  if (isoWeekYear === undefined) return Date.UTC(year as number, month - 1, day);
  const inFirstWeek = new Date(Date.UTC(isoWeekYear, 0, 4));
  const firstMonday = inFirstWeek.getTime() - ((inFirstWeek.getUTCDay() + 6) % 7) * DAY_MS;
  return firstMonday + ((isoWeek - 1) * 7 + isoDayOfWeek - 1) * DAY_MS;
}

function offsetAt(date: Date, timezone: unknown, options: Options): number {
  const parts = expressions.$dateToParts({}, literal({ date, timezone }), options) as Record<string, number>;
  return fromParts({ ...parts, timezone: undefined }, options).getTime() - date.getTime();
}

/** A month after the last day of January is the last day of February. */
function moved(name: '$dateAdd' | '$dateSubtract', sign: number, operand: unknown, options: Options): unknown {
  const { startDate, unit, amount, timezone } = operand as Document;
  if (startDate === undefined || startDate === null || amount === undefined || amount === null) return null;
  const date = momentOf(startDate);
  const months = MONTHS[String(unit)];
  if (!months || timezone || !(date instanceof Date)) {
    const operands = { startDate: date, unit, amount, ...(timezone ? { timezone } : {}) };
    return (expressions[name] as Expression)({}, literal(operands), options);
  }
  const target = new Date(date);
  target.setUTCDate(1);
  target.setUTCMonth(target.getUTCMonth() + sign * months * Number(amount));
  const last = new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0)).getUTCDate();
  target.setUTCDate(Math.min(date.getUTCDate(), last));
  return target;
}
