import { ObjectId, Timestamp } from 'bson';
import { CommandError } from '../command-error.js';

const ISO_DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)? ?(?:(Z)|([+-]\d\d):?(\d\d))?$/;

/** Formats by time zone, since creating one takes longer than everything else. */
const CLOCKS = new Map<string, Intl.DateTimeFormat>();

/** The time of a date, or the time of creation of an ObjectId or timestamp; undefined for anything else. */
export function momentOf(value: unknown): Date | undefined {
  if (value instanceof Timestamp) return new Date(value.getHighBitsUnsigned() * 1000);
  return value instanceof ObjectId ? value.getTimestamp() : value instanceof Date ? value : undefined;
}

/** @throws CommandError 15 for a date beyond JavaScript's range, some 270,000 years from now */
export function dateAt(ms: number): Date {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) throw new CommandError(15, 'A date is beyond those that the embedded store knows');
  return date;
}

/** Parses a date in ISO 8601, in UTC if the text has no time zone. @returns undefined if it is not one */
export function parsedDate(text: unknown, mayNameZone = true): Date | undefined {
  if (typeof text !== 'string') return undefined;
  const [, day, time = '00:00', seconds = '', utc, hours, minutes] = ISO_DATE.exec(text) ?? [];
  if (!mayNameZone && (utc || hours)) return undefined;
  const date = new Date(`${day}T${time}${seconds}${hours ? `${hours}:${minutes}` : 'Z'}`);
  // JavaScript would take 30 February for a day in March.
  const isDay = !Number.isNaN(date.getTime()) && new Date(`${day}T00:00Z`).toISOString().startsWith(String(day));
  return isDay ? date : undefined;
}

/** The time at which a clock in UTC shows what a clock in the time zone shows at the given time. */
export function inZone(date: Date, timezone: unknown): Date {
  return new Date(date.getTime() + offsetAt(date, timezone));
}

/** The time at which a clock in the time zone shows what a clock in UTC shows at the given time. */
export function fromZone(local: Date, timezone: unknown): Date {
  const guess = dateAt(local.getTime() - offsetAt(local, timezone));
  const again = new Date(local.getTime() - offsetAt(guess, timezone));
  // When clocks are put forward, no moment has the times in between: the later one is taken, as in MongoDB.
  const isThere = offsetAt(again, timezone) === offsetAt(guess, timezone);
  return isThere || again > guess ? again : guess;
}

/** Offset of a time zone from UTC in milliseconds. @throws CommandError 40485 for an unknown time zone */
export function offsetAt(date: Date, timezone: unknown): number {
  if (timezone === undefined || timezone === null) return 0;
  const zone = String(timezone);
  const isOffset = /^[+-]\d\d(:?\d\d)?$/.test(zone);
  const [, sign = '', hours = 0, minutes = 0, seconds = 0] =
    /([+-])(\d\d):?(\d\d)?:?(\d\d)?/.exec(isOffset ? zone : nameOf(zone, date)) ?? [];
  return Number(`${sign}1`) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

/** The offset in a name such as GMT+01:00. */
function nameOf(timeZone: string, date: Date): string {
  const clock = CLOCKS.get(timeZone) ?? clockIn(timeZone);
  CLOCKS.set(timeZone, clock);
  return clock.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

function clockIn(timeZone: string): Intl.DateTimeFormat {
  try {
    // Newer versions of JavaScript accept offsets as names, in other forms than MongoDB.
    if (/^[+-]/.test(timeZone)) throw new RangeError(timeZone);
    return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    throw new CommandError(40485, `unrecognized time zone identifier: "${timeZone}"`);
  }
}
