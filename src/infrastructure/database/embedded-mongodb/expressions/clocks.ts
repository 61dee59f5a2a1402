import { ObjectId, Timestamp } from 'bson';
import { CommandError } from '../command-error.js';

const ISO_DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)? ?(?:(Z)|([+-]\d\d):?(\d\d))?$/;

/** To make one takes longer than all the rest. */
const CLOCKS = new Map<string, Intl.DateTimeFormat>();

/** The moment that a date is, or in which an ObjectId or a timestamp was made; undefined for anything else. */
export function momentOf(value: unknown): Date | undefined {
  if (value instanceof Timestamp) return new Date(value.getHighBitsUnsigned() * 1000);
  return value instanceof ObjectId ? value.getTimestamp() : value instanceof Date ? value : undefined;
}

/** @throws CommandError 15 for what lies beyond the dates that JavaScript has: some 270,000 years from now */
export function dateAt(ms: number): Date {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) throw new CommandError(15, 'A date is beyond those that the embedded store knows');
  return date;
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

/** The moment at which clocks in UTC show what clocks in the zone show at the given one. */
export function inZone(date: Date, timezone: unknown): Date {
  return new Date(date.getTime() + offsetAt(date, timezone));
}

/** The moment at which clocks in the zone show what clocks in UTC show at the given one. */
export function fromZone(local: Date, timezone: unknown): Date {
  const guess = dateAt(local.getTime() - offsetAt(local, timezone));
  const again = new Date(local.getTime() - offsetAt(guess, timezone));
  // Where clocks are put forward, no moment shows the time between: then it is the later one, as in MongoDB.
  const isThere = offsetAt(again, timezone) === offsetAt(guess, timezone);
  return isThere || again > guess ? again : guess;
}

/** What clocks in a zone are ahead of UTC, in milliseconds. @throws CommandError 40485 for a zone that there is not */
export function offsetAt(date: Date, timezone: unknown): number {
  if (timezone === undefined || timezone === null) return 0;
  const zone = String(timezone);
  const isOffset = /^[+-]\d\d(:?\d\d)?$/.test(zone);
  const [, sign = '', hours = 0, minutes = 0, seconds = 0] =
    /([+-])(\d\d):?(\d\d)?:?(\d\d)?/.exec(isOffset ? zone : nameOf(zone, date)) ?? [];
  return Number(`${sign}1`) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

/** Such as GMT+01:00. */
function nameOf(timeZone: string, date: Date): string {
  const clock = CLOCKS.get(timeZone) ?? clockIn(timeZone);
  CLOCKS.set(timeZone, clock);
  return clock.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

function clockIn(timeZone: string): Intl.DateTimeFormat {
  try {
    // Newer JavaScript takes offsets for names as well, and others than MongoDB.
    if (/^[+-]/.test(timeZone)) throw new RangeError(timeZone);
    return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    throw new CommandError(40485, `unrecognized time zone identifier: "${timeZone}"`);
  }
}
