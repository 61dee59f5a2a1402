import { describe, expect, it } from 'vitest';
import { readApiKeyRecord } from './api-key-record.js';

describe('An API key in the cache', () => {
  const record = { name: 'shop', digest: 'a'.repeat(64), previous_digest: null, previous_until: 0, expires_at: null };

  it('is believed', () => expect(readApiKeyRecord(record)).toEqual(record));

  it.each([null, 'text', { ...record, name: 1 }, { ...record, digest: 'ab' }, { ...record, previous_digest: 'ab' }])(
    'is a miss where it is of another shape: %j',
    (value) => expect(readApiKeyRecord(value)).toBeNull(),
  );

  // Otherwise a key that has expired would be good again.
  it.each(['expires_at', 'previous_until'])('is a miss where %s is missing, or no time in milliseconds', (field) => {
    for (const value of [undefined, '2026-01-31T09:30:00.000Z', {}, Number.NaN])
      expect(readApiKeyRecord({ ...record, [field]: value }), String(value)).toBeNull();
  });
});
