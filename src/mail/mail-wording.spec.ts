import { describe, expect, it } from 'vitest';
import { formatDuration, formatMoment, formatTimeUntil } from './mail-wording.js';

describe('The wording of mails', () => {
  it('says moments in full, in UTC', () => {
    expect(formatMoment(new Date('2026-11-20T23:48:59Z'))).toBe('20 November 2026, 23:48 UTC');
    expect(formatMoment(new Date('2026-01-01T00:00:00Z'))).toBe('1 January 2026, 00:00 UTC');
  });

  it.each([
    [600_000, '10 minutes'],
    [60_000, '1 minute'],
    [3_600_000, '1 hour'],
    [5_400_000, '90 minutes'],
    [172_800_000, '2 days'],
    [30_000, '30 seconds'],
    [500, '1 second'],
  ])('says %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it.each([
    [599_950, '10 minutes'],
    [598_000, '10 minutes'],
    [590_000, '9 minutes'],
    [150_000, '2 minutes'],
    [119_900, '2 minutes'],
    [100_000, '100 seconds'],
    [89_970, '90 seconds'],
    [3_599_990, '1 hour'],
    [7_000_000, '116 minutes'],
    [86_000_000, '23 hours'],
    [86_399_000, '1 day'],
    [604_740_000, '7 days'],
    [590_000_000, '6 days'],
    [172_799_990, '2 days'],
    [5, '1 second'],
  ])('says that %d ms are left as %s', (ms, text) => {
    expect(formatTimeUntil(new Date(1_000_000 + ms), 1_000_000)).toBe(text);
  });
});
