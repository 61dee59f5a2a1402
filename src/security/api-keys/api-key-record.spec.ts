import { describe, expect, it } from 'vitest';
import { readApiKeyRecord } from './api-key-record.js';

describe('An API key in the cache', () => {
  const record = { name: 'shop', digest: 'a'.repeat(64), previous_digest: null, previous_until: 0, expires_at: null };

  it('is believed', () => expect(readApiKeyRecord(record)).toEqual(record));

  it.each([null, 'text', { ...record, name: 1 }, { ...record, digest: 'ab' }, { ...record, previous_digest: 'ab' }])(
    'is a miss where it is of another shape: %j',
    (value) => expect(readApiKeyRecord(value)).toBeNull(),
  );
});
