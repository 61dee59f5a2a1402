const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

/** "20 November 2026, 23:48 UTC" */
export function formatMoment(moment: Date): string {
  return `${DATE.format(moment)}, ${TIME.format(moment)} UTC`;
}

/** "15 minutes", "1 hour" */
export function formatDuration(durationMs: number): string {
  const units: [number, string][] = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
    [1_000, 'second'],
  ];
  const [unitMs, name] = units.find(([size]) => durationMs >= size && durationMs % size === 0) ?? [1_000, 'second'];
  const count = Math.max(1, Math.round(durationMs / unitMs));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** "10 minutes" until a moment, to the minute; to the second if it is less than two minutes. */
export function formatTimeUntil(moment: Date, nowMs: number): string {
  const leftMs = moment.getTime() - nowMs;
  const unitMs = leftMs < 120_000 ? 1_000 : 60_000;
  return formatDuration(Math.round(leftMs / unitMs) * unitMs);
}
