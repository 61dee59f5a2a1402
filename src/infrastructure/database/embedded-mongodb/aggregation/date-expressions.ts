import { ObjectId } from 'bson';
import { evalExpr } from 'mingo/core';
import * as expressions from 'mingo/operators/expression';
import { CommandError, unsupported } from '../command-error.js';
import { typeName } from '../values/bson-types.js';
import { isDocument, type Document } from '../values/document.js';
import { toInteger } from '../values/numbers.js';
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

const ISO_DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)? ?(?:(Z)|([+-]\d\d):?(\d\d))?$/;

/** To make one takes longer than all the rest. */
const CLOCKS = new Map<string, Intl.DateTimeFormat>();

const SPANS: Record<string, number> = {
  week: 7 * DAY_MS,
  day: DAY_MS,
  hour: 3_600_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
};
const MONTHS: Record<string, number> = { month: 1, quarter: 3, year: 12 };

/** Expressions of dates that mingo lacks, or calculates otherwise than MongoDB. */
export const DATE_EXPRESSIONS: Record<string, Expression> = {
  ...Object.fromEntries(READERS.map((name) => [name, ofDate(expressions[name] as Expression)])),
  $week: ofDate((document, operand, options) => week(localDay(document, operand, options))),
  $isoWeekYear: ofDate((document, operand, options) => isoWeekYear(localDay(document, operand, options))),
  $dateToString: ofDate((document, operand, options) => {
    const { format, timezone } = operand as Document;
    const [given, zone] = [format, timezone].map((option) => evalExpr(document, option, options));
    const pattern = typeof given === 'string' ? given : `%Y-%m-%dT%H:%M:%S.%L${(zone ?? 'UTC') === 'UTC' ? 'Z' : ''}`;
    const day = localDay(document, operand, options);
    const own: Record<string, () => string> = {
      '%%': () => PERCENT,
      '%w': () => String(day.getUTCDay() + 1),
      '%G': () => String(isoWeekYear(day)).padStart(4, '0'),
      '%U': () => String(week(day)).padStart(2, '0'),
    };
    const filled = pattern.replace(/%./g, (symbol) => own[symbol]?.() ?? symbol);
    const text = expressions.$dateToString(document, { ...(operand as Document), format: literal(filled) }, options);
    return String(text).replaceAll(PERCENT, '%');
  }),
  $dateFromParts: (document, operand, options) => {
    const parts = evalExpr(document, operand, options) as Document;
    return Object.values(parts).some((part) => part === undefined || part === null) ? null : fromParts(parts);
  },
  $dateFromString: (document, operand, options) => {
    const { onNull, onError, ...others } = operand as Document;
    const { dateString, format, timezone } = evalExpr(document, others, options) as Document;
    if (dateString === undefined || dateString === null) return evalExpr(document, onNull, options) ?? null;
    if (/%[zZ]/.test(String(format))) throw unsupported('A time zone in the format of $dateFromString');
    const local = format
      ? expressions.$dateFromString({}, literal({ dateString, format }) as never, options)
      : parsedDate(dateString, !timezone);
    if (local instanceof Date) return fromZone(local, timezone);
    if (onError !== undefined) return evalExpr(document, onError, options);
    throw new CommandError(241, `Error parsing date string '${String(dateString)}'`);
  },
  // mingo looks for the boundaries of days and months in UTC, whatever the timezone.
  $dateTrunc: ofDate((document, operand, options) => {
    const { date, timezone, ...others } = evalExpr(document, operand, options) as Document;
    const local = inZone(date as Date, timezone);
    const start = expressions.$dateTrunc({}, literal({ date: local, ...others }), options);
    return start && fromZone(start as Date, timezone);
  }),
  $dateDiff: (document, operand, options) => {
    const { startDate, endDate, timezone, ...others } = evalExpr(document, operand, options) as Document;
    if ([startDate, endDate].some((date) => date === undefined || date === null)) return null;
    const moments = [momentOf(startDate), momentOf(endDate)] as const;
    const [start, end] = moments.map((moment) => {
      // What is shorter than a day is as long when the clocks are changed.
      const isShort = (SPANS[String(others.unit)] ?? DAY_MS) < DAY_MS;
      const local = moment.getTime() + offsetAt(isShort ? moments[0] : moment, timezone);
      // It counts the boundaries in between.
      return new Date(others.unit === 'second' ? Math.floor(local / 1000) * 1000 : local);
    });
    return expressions.$dateDiff({}, literal({ startDate: start, endDate: end, ...others }), options);
  },
  $dateAdd: (document, operand, options) => moved(1, evalExpr(document, operand, options)),
  $dateSubtract: (document, operand, options) => moved(-1, evalExpr(document, operand, options)),
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

function momentOf(value: unknown): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  throw new CommandError(16006, `can't convert from BSON type ${typeName(value)} to Date`);
}

/** In UTC where the text names no zone. @returns undefined where it is no date as ISO 8601 writes it */
export function parsedDate(text: unknown, mayNameZone = true): Date | undefined {
  const [, day, time = '00:00', seconds = '', utc, hours, minutes] = ISO_DATE.exec(String(text)) ?? [];
  if (!mayNameZone && (utc || hours)) return undefined;
  const date = new Date(`${day}T${time}${seconds}${hours ? `${hours}:${minutes}` : 'Z'}`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** The day at the place that a timezone names, as midnight in UTC. */
function localDay(document: Document, operand: unknown, options: Options): Date {
  const { date, timezone } = evalExpr(document, operand, options) as Document;
  return new Date(Math.floor(inZone(date as Date, timezone).getTime() / DAY_MS) * DAY_MS);
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

function fromParts(parts: Document): Date {
  const { hour = 0, minute = 0, second = 0, millisecond = 0, timezone } = parts as Record<string, number>;
  const time = Date.UTC(1970, 0, 1, hour, minute, second, millisecond);
  return fromZone(new Date(dayOf(parts as Record<string, number>) + time), timezone);
}

/** The moment at which clocks in the zone show what clocks in UTC show at the given one. */
function fromZone(local: Date, timezone: unknown): Date {
  // Where the clocks were put forward or back in between, the second look counts.
  const guess = new Date(local.getTime() - offsetAt(local, timezone));
  return new Date(local.getTime() - offsetAt(guess, timezone));
}

/** The moment at which clocks in UTC show what clocks in the zone show at the given one. */
function inZone(date: Date, timezone: unknown): Date {
  return new Date(date.getTime() + offsetAt(date, timezone));
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

/** What clocks in a zone are ahead of UTC, in milliseconds. */
function offsetAt(date: Date, timezone: unknown): number {
  if (timezone === undefined || timezone === null) return 0;
  const zone = String(timezone);
  const [, sign = '', hours, minutes] =
    /([+-])(\d\d):?(\d\d)?/.exec(/^[+-]/.test(zone) ? zone : named(zone, date)) ?? [];
  return Number(`${sign}1`) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
}

/** Such as GMT+01:00. */
function named(timeZone: string, date: Date): string {
  const clock = CLOCKS.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  CLOCKS.set(timeZone, clock);
  return clock.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** A month after the last day of January is the last day of February. */
function moved(sign: number, operand: unknown): Date | null {
  const { startDate, unit, amount, timezone } = operand as Document;
  if (startDate === undefined || startDate === null || amount === undefined || amount === null) return null;
  const months = MONTHS[String(unit)];
  const span = SPANS[String(unit)] ?? DAY_MS;
  if (!months && !(String(unit) in SPANS)) throw new CommandError(9, `unknown time unit value: ${String(unit)}`);
  // A day may have 23 or 25 hours, but an hour is an hour.
  const zone = span < DAY_MS ? undefined : timezone;
  const target = inZone(momentOf(startDate), zone);
  const steps = sign * toInteger(amount, 'amount');
  if (!months) return fromZone(new Date(target.getTime() + steps * span), zone);
  const day = target.getUTCDate();
  target.setUTCDate(1);
  target.setUTCMonth(target.getUTCMonth() + steps * months);
  const last = new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0)).getUTCDate();
  target.setUTCDate(Math.min(day, last));
  return fromZone(target, zone);
}
