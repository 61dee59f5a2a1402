import { Long } from 'bson';
import { CommandError } from '../command-error.js';
import { typeName } from '../values/bson-types.js';
import { isDocument, type Document } from '../values/document.js';
import { toInteger } from '../values/numbers.js';
import { dateAt, fromZone, inZone, momentOf, offsetAt, parsedDate } from './clocks.js';
import { isNothing, named, strictlyNamed, type Operator, type Operators } from './expression.js';

const DAY_MS = 86_400_000;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTH_NAMES = 'January February March April May June July August September October November December'.split(' ');

const SPANS: Record<string, number> = {
  week: 7 * DAY_MS,
  day: DAY_MS,
  hour: 3_600_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
};
const MONTHS: Record<string, number> = { month: 1, quarter: 3, year: 12 };

/** The parts of a date: the symbol in formats, the number of digits, and how to read it from the local time, given as UTC. */
const PARTS: Record<string, [symbol: string, width: number, read: (local: Date) => number]> = {
  $year: ['Y', 4, (local) => local.getUTCFullYear()],
  $month: ['m', 2, (local) => local.getUTCMonth() + 1],
  $dayOfMonth: ['d', 2, (local) => local.getUTCDate()],
  $hour: ['H', 2, (local) => local.getUTCHours()],
  $minute: ['M', 2, (local) => local.getUTCMinutes()],
  $second: ['S', 2, (local) => local.getUTCSeconds()],
  $millisecond: ['L', 3, (local) => local.getUTCMilliseconds()],
  $dayOfYear: ['j', 3, dayOfYear],
  $dayOfWeek: ['w', 1, (local) => local.getUTCDay() + 1],
  // From 0, the days before the first Sunday.
  $week: ['U', 2, (local) => Math.floor((dayOfYear(local) + 6 - local.getUTCDay()) / 7)],
  $isoWeekYear: ['G', 4, (local) => thursdayOf(local).getUTCFullYear()],
  $isoWeek: ['V', 2, (local) => Math.ceil(dayOfYear(thursdayOf(local)) / 7)],
  $isoDayOfWeek: ['u', 1, (local) => local.getUTCDay() || 7],
};

export const DATES: Operators = {
  ...Object.fromEntries(Object.entries(PARTS).map(([name, [, , read]]) => [name, reading(read)])),
  $dateToString: named('date format? timezone? onNull?', (given) => {
    const { date, onNull, ...others }: Document = { onNull: null, ...given };
    const { format, timezone } = others;
    if (!isNothing(format) && typeof format !== 'string') {
      throw new CommandError(18533, '$dateToString requires a format that is a string');
    }
    const byDefault = `%Y-%m-%dT%H:%M:%S.%L${/^(UTC|[+-]00(:?00)?)$/.test(String(timezone ?? 'UTC')) ? 'Z' : ''}`;
    // What is wrong with the format or the time zone is wrong without a date, too.
    const moment = isNothing(date) ? new Date(0) : dateOf(date);
    const text = formatted(moment, offsetAt(moment, timezone), format ?? byDefault);
    if (isNothing(date)) return onNull;
    return Object.values(others).some(isNothing) ? null : text;
  }),
  $dateFromString: named('dateString timezone? onError? onNull?', (given) => {
    const { dateString, timezone, onNull }: Document = { onNull: null, ...given };
    if (isNothing(dateString)) return onNull;
    const hasZone = 'timezone' in given;
    if (hasZone && isNothing(timezone)) return null;
    const date = parsedDate(dateString, !hasZone);
    if (date) return fromZone(date, timezone);
    // It replaces a failure even by nothing.
    if ('onError' in given) return given.onError;
    throw new CommandError(241, `Error parsing date string '${String(dateString)}'`);
  }),
  $dateFromParts: strictlyNamed('year month? day? hour? minute? second? millisecond? timezone?', (given) => {
    const { timezone, ...parts } = given;
    const whole = { year: NaN, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0, ...parts };
    const numbers = Object.entries(whole).map(([name, part]) => toInteger(part, `'${name}'`, 40515));
    const [year = NaN, month = 1, day = 1, ...time] = numbers;
    if (year < 1 || year > 9999) throw new CommandError(40523, "'year' must be an integer in the range 1 to 9999");
    // Date.UTC() would take the year 99 for 1999.
    const local = new Date(0).setUTCFullYear(year, month - 1, day) + Date.UTC(1970, 0, 1, ...time);
    return fromZone(dateAt(local), timezone);
  }),
  $dateAdd: moving(1),
  $dateSubtract: moving(-1),
  $dateDiff: strictlyNamed('startDate endDate unit timezone? startOfWeek?', (given) => {
    const [start, end] = [dateOf(given.startDate), dateOf(given.endDate)];
    const unit = unitOf(given.unit);
    // Units shorter than a day do not depend on changes of the clocks.
    const isShort = (SPANS[unit] ?? DAY_MS) < DAY_MS;
    const endOffset = offsetAt(isShort ? start : end, given.timezone);
    const localEnd = new Date(end.getTime() + endOffset);
    return Long.fromNumber(numberOf(localEnd, unit, given) - numberOf(inZone(start, given.timezone), unit, given));
  }),
  $dateTrunc: strictlyNamed('date unit binSize? timezone? startOfWeek?', (given) => {
    const bins = toInteger(given.binSize ?? 1, '$dateTrunc binSize', 5439017);
    if (bins <= 0) throw new CommandError(5439018, '$dateTrunc requires a binSize above 0');
    const [moment, unit, zone] = [dateOf(given.date), unitOf(given.unit), given.timezone];
    const local = inZone(moment, zone);
    const start2000 = new Date(Date.UTC(2000, 0, 1));
    const span = SPANS[unit];
    if (span === undefined) {
      const since2000 = numberOf(local, 'month', given) - numberOf(start2000, 'month', given);
      const months = bins * (MONTHS[unit] as number);
      return fromZone(new Date(Date.UTC(2000, Math.floor(since2000 / months) * months)), zone);
    }
    // Units shorter than a day are counted in elapsed time.
    if (span < DAY_MS) return stepBefore(moment, bins * span, fromZone(start2000, zone));
    // Weeks are counted from the first that begins in 2000, when 1 January was a Saturday.
    const first = unit === 'week' ? (firstWeekday(given) + 1) % 7 : 0;
    return fromZone(stepBefore(local, bins * span, new Date(start2000.getTime() + first * DAY_MS)), zone);
  }),
};

/** @throws CommandError 16006 for what is no date */
function dateOf(value: unknown): Date {
  const moment = momentOf(value);
  if (moment) return moment;
  throw new CommandError(16006, `can't convert from BSON type ${typeName(value)} to Date`);
}

function unitOf(unit: unknown): string {
  if (typeof unit === 'string' && (Object.hasOwn(MONTHS, unit) || Object.hasOwn(SPANS, unit))) return unit;
  throw new CommandError(9, `unknown time unit value: ${String(unit)}`);
}

/** Operators that take a date, or a date and a time zone. */
function reading(read: (local: Date) => number): Operator {
  const operator = strictlyNamed('date timezone?', ({ date, timezone }) => read(inZone(dateOf(date), timezone)));
  return (operand, compiler, name) => {
    const date = Array.isArray(operand) && operand.length === 1 ? operand[0] : operand;
    return operator(isDocument(operand) && 'date' in operand ? operand : { date }, compiler, name);
  };
}

/** Adds to a date; a month after the last day of January is the last day of February. */
function moving(sign: number): Operator {
  return strictlyNamed('startDate unit amount timezone?', (given) => {
    const unit = unitOf(given.unit);
    const [months, span = DAY_MS] = [MONTHS[unit], SPANS[unit]];
    // A day may have 23 or 25 hours; shorter units are added to the elapsed time.
    const zone = span < DAY_MS ? undefined : given.timezone;
    const target = inZone(dateOf(given.startDate), zone);
    const steps = sign * toInteger(given.amount, 'amount');
    if (!months) return fromZone(dateAt(target.getTime() + steps * span), zone);
    const day = target.getUTCDate();
    target.setUTCDate(1);
    dateAt(target.setUTCMonth(target.getUTCMonth() + steps * months));
    const last = new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0)).getUTCDate();
    target.setUTCDate(Math.min(day, last));
    return fromZone(target, zone);
  });
}

/** The serial number of a day, month or other unit, for differences and truncation. */
function numberOf(local: Date, unit: string, given: Document): number {
  const months = MONTHS[unit];
  if (months) return Math.floor((local.getUTCFullYear() * 12 + local.getUTCMonth()) / months);
  // 1 January 1970 was a Thursday.
  const shift = unit === 'week' ? (4 - firstWeekday(given)) * DAY_MS : 0;
  return Math.floor((local.getTime() + shift) / (SPANS[unit] as number));
}

function firstWeekday({ startOfWeek = 'sunday' }: Document): number {
  const weekday = WEEKDAYS.findIndex((name) => [name, name.slice(0, 3)].includes(String(startOfWeek).toLowerCase()));
  if (weekday >= 0) return weekday;
  throw new CommandError(9, `unknown day of week value: ${String(startOfWeek)}`);
}

function stepBefore(moment: Date, span: number, from: Date): Date {
  return new Date(from.getTime() + Math.floor((moment.getTime() - from.getTime()) / span) * span);
}

/** @throws CommandError 18536 for an unknown symbol, 18535 for a missing one */
function formatted(moment: Date, offsetMs: number, format: string): string {
  const local = new Date(moment.getTime() + offsetMs);
  const minutes = Math.trunc(offsetMs / 60_000);
  return format.replace(/%(.?)/gs, (_found, symbol: string) => {
    if (symbol === '') throw new CommandError(18535, "Unmatched '%' at end of format string");
    if (symbol === '%') return '%';
    if (symbol === 'Z') return String(minutes);
    if (symbol === 'z')
      return `${minutes < 0 ? '-' : '+'}${digits(Math.trunc(Math.abs(minutes) / 60), 2)}${digits(Math.abs(minutes) % 60, 2)}`;
    if (symbol === 'B') return MONTH_NAMES[local.getUTCMonth()] as string;
    if (symbol === 'b') return (MONTH_NAMES[local.getUTCMonth()] as string).slice(0, 3);
    const part = Object.values(PARTS).find(([name]) => name === symbol);
    if (!part) throw new CommandError(18536, `Invalid format character '%${symbol}' in format string`);
    return digits(part[2](local), part[1]);
  });
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

/** The day of the year, counted from 1. */
function dayOfYear(local: Date): number {
  return Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / DAY_MS) + 1;
}

/** The Thursday of a week, whose year is the year of the week (ISO 8601). */
function thursdayOf(local: Date): Date {
  return new Date(local.getTime() + (3 - ((local.getUTCDay() + 6) % 7)) * DAY_MS);
}
