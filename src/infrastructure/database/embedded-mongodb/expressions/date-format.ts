import { CommandError } from '../command-error.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

interface DateSymbol {
  /** How many digits are written at least. */
  width: number;
  write(local: Date): number;
  /** The part of a date that is read, and what it looks like; absent: it can only be written. */
  reads?: [part: string, pattern: string];
}

const MONTH_NAMES = 'January February March April May June July August September October November December'.split(' ');

/** What stands behind a percent sign in the formats of dates, beside the zone. */
const SYMBOLS: Record<string, DateSymbol> = {
  Y: { width: 4, write: (local) => local.getUTCFullYear(), reads: ['year', '\\d{4}'] },
  m: { width: 2, write: (local) => local.getUTCMonth() + 1, reads: ['month', '\\d{1,2}'] },
  d: { width: 2, write: (local) => local.getUTCDate(), reads: ['day', '\\d{1,2}'] },
  H: { width: 2, write: (local) => local.getUTCHours(), reads: ['hour', '\\d{1,2}'] },
  M: { width: 2, write: (local) => local.getUTCMinutes(), reads: ['minute', '\\d{1,2}'] },
  S: { width: 2, write: (local) => local.getUTCSeconds(), reads: ['second', '\\d{1,2}'] },
  L: { width: 3, write: (local) => local.getUTCMilliseconds(), reads: ['millisecond', '\\d{1,3}'] },
  G: { width: 4, write: isoWeekYear, reads: ['isoWeekYear', '\\d{4}'] },
  V: { width: 2, write: (local) => Math.ceil(dayOfYear(thursdayOf(local)) / 7), reads: ['isoWeek', '\\d{1,2}'] },
  u: { width: 1, write: (local) => local.getUTCDay() || 7, reads: ['isoDayOfWeek', '[1-7]'] },
  U: { width: 2, write: week },
  j: { width: 3, write: (local) => dayOfYear(local) },
  w: { width: 1, write: (local) => local.getUTCDay() + 1 },
};

/** What is read and is no number of its own: the zone, and names of months. */
const READ_OTHERWISE: Record<string, [part: string, pattern: string]> = {
  z: ['zone', 'Z|[+-]\\d\\d:?\\d\\d'],
  Z: ['minutes', '[+-]?\\d+'],
  B: ['monthName', MONTH_NAMES.join('|')],
  b: ['monthName', MONTH_NAMES.map((one) => one.slice(0, 3)).join('|')],
};

/**
 * @param local what clocks show, in UTC
 * @param offset what those clocks are ahead of UTC, in milliseconds
 * @throws CommandError 18536 for a symbol that is not known, 18535 for none
 */
export function formatted(local: Date, offset: number, format: string): string {
  const minutes = Math.trunc(offset / MINUTE_MS);
  return format.replace(/%(.?)/gs, (_found, name: string) => {
    if (name === '%') return '%';
    if (name === 'Z') return String(minutes);
    if (name === 'B') return MONTH_NAMES[local.getUTCMonth()] as string;
    if (name === 'b') return (MONTH_NAMES[local.getUTCMonth()] as string).slice(0, 3);
    if (name === 'z') return `${minutes < 0 ? '-' : '+'}${clock(Math.abs(minutes))}`;
    return digits(numberAt(local, name), symbolOf(name).width);
  });
}

/** What a symbol stands for. */
export function numberAt(local: Date, symbol: string): number {
  return symbolOf(symbol).write(local);
}

/** The same for several, by the names of the parts. */
export function namedParts(local: Date, symbols: string): Record<string, number> {
  return Object.fromEntries([...symbols].map((symbol) => [symbolOf(symbol).reads?.[0], numberAt(local, symbol)]));
}

/** The parts of a date in a text, and `offset` where it names a zone. @returns undefined where it is not of the format */
export function partsOf(text: unknown, format: string): Record<string, number> | undefined {
  const parts: string[] = [];
  const source = format.replace(/%(.?)|[\\^$.*+?()[\]{}|/-]/gs, (found, name?: string) => {
    if (name === undefined) return `\\${found}`;
    if (name === '%') return '%';
    const [part, pattern] = READ_OTHERWISE[name] ?? symbolOf(name).reads ?? refuse(name);
    parts.push(part);
    return `(${pattern})`;
  });
  const found = typeof text === 'string' ? new RegExp(`^${source}$`, 'i').exec(text) : null;
  return found ? Object.fromEntries(parts.map((part, i) => valueOf(part, found[i + 1] as string))) : undefined;
}

function valueOf(part: string, text: string): [string, number] {
  // 2.8 s are 2 s and 800 ms.
  if (part === 'millisecond') return [part, Number(text.padEnd(3, '0'))];
  if (part === 'monthName') return ['month', monthOf(text)];
  if (part === 'minutes') return ['offset', Number(text) * MINUTE_MS];
  if (part !== 'zone') return [part, Number(text)];
  const [, sign = '', hours = 0, minutes = 0] = /([+-])(\d\d):?(\d\d)/.exec(text) ?? [];
  return ['offset', Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS];
}

function monthOf(name: string): number {
  return MONTH_NAMES.findIndex((one) => one.toLowerCase().startsWith(name.toLowerCase())) + 1;
}

function symbolOf(name: string): DateSymbol {
  if (name === '') throw new CommandError(18535, "Unmatched '%' at end of format string");
  return SYMBOLS[name] ?? refuse(name);
}

function refuse(name: string): never {
  throw new CommandError(18536, `Invalid format character '%${name}' in format string`);
}

function clock(minutes: number): string {
  return digits(Math.trunc(minutes / 60), 2) + digits(minutes % 60, 2);
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

/** From 1. */
function dayOfYear(local: Date): number {
  return Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / DAY_MS) + 1;
}

/** From 0, the days before the first Sunday. */
function week(local: Date): number {
  return Math.floor((dayOfYear(local) + 6 - local.getUTCDay()) / 7);
}

/** The year in which the Thursday of its week lies (ISO 8601). */
function isoWeekYear(local: Date): number {
  return thursdayOf(local).getUTCFullYear();
}

function thursdayOf(local: Date): Date {
  return new Date(local.getTime() + (3 - ((local.getUTCDay() + 6) % 7)) * DAY_MS);
}
