const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

const SECOND_MS = 1_000;
const UNITS: [number, string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [SECOND_MS, 'second'],
];

/** "20 November 2026, 23:48 UTC" */
export function formatMoment(moment: Date): string {
  return `${DATE.format(moment)}, ${TIME.format(moment)} UTC`;
}

/** "15 minutes", "1 hour" */
export function formatDuration(durationMs: number): string {
  const [unitMs, name] = UNITS.find(([ms]) => durationMs >= ms && durationMs % ms === 0) ?? [SECOND_MS, 'second'];
  const count = Math.max(1, Math.round(durationMs / unitMs));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** A mail takes a moment to leave: so much of a unit may be missing from "10 minutes". */
const MISSING = 0.05;

/** "10 minutes" until a moment, in the largest unit of which two are left, rounded down. */
export function formatTimeUntil(moment: Date, nowMs: number): string {
  const leftMs = moment.getTime() - nowMs;
  const unitMs = UNITS.map(([ms]) => ms).find((ms) => leftMs / ms + MISSING >= 2) ?? SECOND_MS;
  return formatDuration(Math.floor(leftMs / unitMs + MISSING) * unitMs);
}
