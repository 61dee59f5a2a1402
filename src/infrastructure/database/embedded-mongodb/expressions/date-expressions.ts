import { ObjectId } from 'bson';
import { evalExpr } from 'mingo/core';
import * as expressions from 'mingo/operators/expression';
import { CommandError } from '../command-error.js';
import { typeName } from '../values/bson-types.js';
import { isDocument, type Document } from '../values/document.js';
import { toInteger } from '../values/numbers.js';
import { formatted, namedParts, numberAt, partsOf } from './date-format.js';
import { literal, type Expression, type Options } from './expression.js';

const DAY_MS = 86_400_000;

/** What they read of a date, by the symbols of formats. */
const READERS = {
  $year: 'Y',
  $isoWeekYear: 'G',
  $month: 'm',
  $week: 'U',
  $isoWeek: 'V',
  $dayOfYear: 'j',
  $dayOfMonth: 'd',
  $dayOfWeek: 'w',
  $isoDayOfWeek: 'u',
  $hour: 'H',
  $minute: 'M',
  $second: 'S',
  $millisecond: 'L',
};

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
  ...Object.fromEntries(Object.entries(READERS).map(([name, symbol]) => [name, reading(symbol)])),
  $dateToParts: ofDate((document, operand, options) => {
    const isIso = evalExpr(document, (operand as Document).iso8601, options) === true;
    return namedParts(localOf(document, operand, options), isIso ? 'GVuHMSL' : 'YmdHMSL');
  }),
  $dateToString: ofDate((document, operand, options) => {
    const { moment, timezone, format = '' } = operand as Document;
    const [given, zone] = [format, timezone].map((option) => evalExpr(document, option, options));
    if (given === undefined || given === null) return null;
    if (typeof given !== 'string') throw new CommandError(18533, '$dateToString requires a format that is a string');
    const local = localOf(document, operand, options);
    const pattern = given || `%Y-%m-%dT%H:%M:%S.%L${(zone ?? 'UTC') === 'UTC' ? 'Z' : ''}`;
    return formatted(local, local.getTime() - (moment as Date).getTime(), pattern);
  }),
  $dateFromParts: (document, operand, options) => {
    const parts = evalExpr(document, operand, options) as Document;
    return Object.values(parts).some((part) => part === undefined || part === null) ? null : fromParts(parts);
  },
  $dateFromString: (document, operand, options) => {
    const { onNull, onError, ...others } = operand as Document;
    const { dateString, ...given } = evalExpr(document, others, options) as Document;
    if (dateString === undefined || dateString === null) {
      return 'onNull' in (operand as Document) ? evalExpr(document, onNull, options) : null;
    }
    const isGiven = (name: string): boolean => given[name] !== undefined && given[name] !== null;
    if (typeof dateString === 'string' && ['format', 'timezone'].some((name) => name in others && !isGiven(name))) {
      return null;
    }
    const date = isGiven('format')
      ? dateFrom(partsOf(dateString, String(given.format)), given.timezone)
      : parsedDate(dateString, !isGiven('timezone'));
    if (date) return isGiven('format') ? date : fromZone(date, given.timezone);
    if (onError !== undefined) return evalExpr(document, onError, options);
    throw new CommandError(241, `Error parsing date string '${String(dateString)}'`);
  },
  // mingo looks for the boundaries of days and months in UTC, whatever the timezone.
  $dateTrunc: ofDate((document, operand, options) => {
    const { timezone, moment, ...others } = operand as Document;
    const given = evalExpr(document, others, options) as Document;
    if (Object.keys(others).some((name) => given[name] === undefined || given[name] === null)) return null;
    const { date, unit, binSize = 1 } = given;
    const [bins, zone] = [toInteger(binSize, '$dateTrunc binSize', 5439017), evalExpr(document, timezone, options)];
    if (bins <= 0) throw new CommandError(5439018, '$dateTrunc requires a binSize above 0');
    checkUnit(unit);
    if (String(unit) in MONTHS) return fromZone(monthOf(date as Date, bins * (MONTHS[String(unit)] as number)), zone);
    const span = SPANS[String(unit)] as number;
    // What is shorter than a day is counted as it goes by, whatever clocks show.
    if (span < DAY_MS) return spanOf(moment as Date, bins * span, fromZone(new Date(Date.UTC(2000)), zone));
    return fromZone(expressions.$dateTrunc(document, literal(given), options) as Date, zone);
  }),
  $dateDiff: (document, operand, options) => {
    const values = evalExpr(document, operand, options) as Document;
    const { startDate, endDate, timezone, ...others } = values;
    const needed = ['startDate', 'endDate', 'unit', ...(others.unit === 'week' ? ['startOfWeek'] : [])];
    if (isNothing(values, operand, needed)) return null;
    checkUnit(others.unit);
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
  $dateAdd: moving(1),
  $dateSubtract: moving(-1),
};

/** Whether one of these arguments is given, and is null or missing; a timezone always counts. */
function isNothing(values: Document, operand: unknown, names: string[]): boolean {
  const given = [...names, 'timezone'].filter((name) => name in (operand as Document));
  return given.some((name) => values[name] === undefined || values[name] === null);
}

function moving(sign: number): Expression {
  return (document, operand, options) => {
    const values = evalExpr(document, operand, options) as Document;
    return isNothing(values, operand, ['startDate', 'unit', 'amount']) ? null : moved(sign, values);
  };
}

function checkUnit(unit: unknown): void {
  if (String(unit) in MONTHS || String(unit) in SPANS) return;
  throw new CommandError(9, `unknown time unit value: ${String(unit)}`);
}

/** Of spans that are counted from a moment on. */
function spanOf(moment: Date, span: number, from: Date): Date {
  return new Date(from.getTime() + Math.floor((moment.getTime() - from.getTime()) / span) * span);
}

/** The first of so many months, which are counted from 2000. */
function monthOf(date: Date, months: number): Date {
  const since2000 = (date.getUTCFullYear() - 2000) * 12 + date.getUTCMonth();
  return new Date(Date.UTC(2000, Math.floor(since2000 / months) * months));
}

/**
 * Nothing of nothing; an ObjectId stands for the moment in it. What calculates is given `{ date, moment, … }` in any
 * case: what clocks in the timezone show, in UTC, and when they do.
 */
function ofDate(calculate: Expression): Expression {
  return (document, operand, options) => {
    const details: Document = isDocument(operand) && 'date' in operand ? operand : { date: operand };
    const value = evalExpr(document, details.date, options);
    if (value === undefined || value === null) {
      return 'onNull' in details ? evalExpr(document, details.onNull, options) : null;
    }
    const timezone = evalExpr(document, details.timezone, options);
    if ('timezone' in details && (timezone === undefined || timezone === null)) return null;
    const moment = momentOf(value);
    return calculate(document, { ...details, date: literal(inZone(moment, timezone)), moment }, options);
  };
}

function reading(symbol: string): Expression {
  return ofDate((document, operand, options) => numberAt(localOf(document, operand, options), symbol));
}

function localOf(document: Document, operand: unknown, options: Options): Date {
  return evalExpr(document, (operand as Document).date, options) as Date;
}

function momentOf(value: unknown): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  throw new CommandError(16006, `can't convert from BSON type ${typeName(value)} to Date`);
}

/** In UTC where the text names no zone. @returns undefined where it is no date as ISO 8601 writes it */
export function parsedDate(text: unknown, mayNameZone = true): Date | undefined {
  if (typeof text !== 'string') return undefined;
  const [, day, time = '00:00', seconds = '', utc, hours, minutes] = ISO_DATE.exec(text) ?? [];
  if (!mayNameZone && (utc || hours)) return undefined;
  const date = new Date(`${day}T${time}${seconds}${hours ? `${hours}:${minutes}` : 'Z'}`);
  // JavaScript takes the thirtieth of February for a day in March.
  const isDay = !Number.isNaN(date.getTime()) && new Date(`${day}T00:00Z`).toISOString().startsWith(String(day));
  return isDay ? date : undefined;
}

function fromParts(parts: Document): Date {
  const { year, isoWeekYear } = parts;
  const named = year ?? isoWeekYear;
  if (!Number.isInteger(named) || Number(named) < 1 || Number(named) > 9999) {
    throw new CommandError(40523, "'year' must be an integer in the range 1 to 9999");
  }
  const { hour = 0, minute = 0, second = 0, millisecond = 0, timezone } = parts as Record<string, number>;
  const time = Date.UTC(1970, 0, 1, hour, minute, second, millisecond);
  return fromZone(new Date(dayOf(parts as Record<string, number>) + time), timezone);
}

/** @returns undefined for a day or a time that there is not, and for a zone given twice */
function dateFrom(parts: Record<string, number> | undefined, timezone: unknown): Date | undefined {
  if (!parts || (parts.offset !== undefined && timezone !== undefined)) return undefined;
  if (parts.year === undefined && parts.isoWeekYear === undefined) return undefined;
  const { offset = 0, ...others } = parts;
  const local = fromParts(others);
  const { month = 1, day = 1, hour = 0, minute = 0 } = others;
  const isThere = local.getUTCHours() === hour && local.getUTCMinutes() === minute;
  const isDay = others.year === undefined || (local.getUTCMonth() + 1 === month && local.getUTCDate() === day);
  return isThere && isDay ? fromZone(new Date(local.getTime() - offset), timezone) : undefined;
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
  // Not by Date.UTC(): it takes the year 99 for 1999.
  if (isoWeekYear === undefined) return new Date(0).setUTCFullYear(year as number, month - 1, day);
  const inFirstWeek = new Date(Date.UTC(isoWeekYear, 0, 4));
  const firstMonday = inFirstWeek.getTime() - ((inFirstWeek.getUTCDay() + 6) % 7) * DAY_MS;
  return firstMonday + ((isoWeek - 1) * 7 + isoDayOfWeek - 1) * DAY_MS;
}

/** What clocks in a zone are ahead of UTC, in milliseconds. */
function offsetAt(date: Date, timezone: unknown): number {
  if (timezone === undefined || timezone === null) return 0;
  const zone = String(timezone);
  const [, sign = '', hours = 0, minutes = 0, seconds = 0] =
    /([+-])(\d\d):?(\d\d)?:?(\d\d)?/.exec(/^[+-]/.test(zone) ? zone : named(zone, date)) ?? [];
  return Number(`${sign}1`) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

/** Such as GMT+01:00. */
function named(timeZone: string, date: Date): string {
  const clock = CLOCKS.get(timeZone) ?? clockIn(timeZone);
  CLOCKS.set(timeZone, clock);
  return clock.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

function clockIn(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    throw new CommandError(40485, `unrecognized time zone identifier: "${timeZone}"`);
  }
}

/** A month after the last day of January is the last day of February. */
function moved(sign: number, { startDate, unit, amount, timezone }: Document): Date {
  checkUnit(unit);
  const months = MONTHS[String(unit)];
  const span = SPANS[String(unit)] ?? DAY_MS;
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
