import { describe, expect, it } from 'vitest';
import { withTimeLeft } from './time-left.js';

const NOW_MS = Date.UTC(2026, 0, 31);

describe('withTimeLeft', () => {
  it('says what is left, also of a moment that was stored as JSON', () => {
    const context = { otp: '482913', expires_at: new Date(NOW_MS + 180_000) };
    for (const one of [context, JSON.parse(JSON.stringify(context)) as typeof context])
      expect(withTimeLeft(one, NOW_MS)).toEqual({ ...one, expires_in: '3 minutes' });
  });

  it('leaves out a link that is good no more', () => {
    const notice = { device: 'Firefox', link: 'https://accounts.example/not-me', expires_at: new Date(NOW_MS) };
    expect(withTimeLeft(notice, NOW_MS - 60_000).link).toBe(notice.link);
    expect(withTimeLeft(notice, NOW_MS).link).toBeNull();
    expect(withTimeLeft({ otp: '482913', expires_at: new Date(NOW_MS) }, NOW_MS)).not.toHaveProperty('link');
  });

  it('has nothing to say of what does not expire', () => {
    expect(withTimeLeft({ changed_at: 'today' }, NOW_MS)).toEqual({ changed_at: 'today' });
  });
});
