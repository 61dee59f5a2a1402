import { describe, expect, it } from 'vitest';
import { readAccountDates } from './account-dates.js';
import { readAuthRecord } from './auth-record.js';

const ID = '66f2a1b3c4d5e6f708192a3b';
const USER = { _id: ID, last_name: 'Lovelace', first_name: 'Ada', username: 'ada', email: 'ada@example.com' };
const AUTH = { _id: '66f2a1b3c4d5e6f708192a3c', role: null, confirmed_at: '2026-01-31T09:30:00.000Z' };
const DATES = { created_at: '2026-01-31T09:30:00.000Z', updated_at: '2026-01-31T09:30:00.000Z', deleted_at: null };

/** As an earlier release stored it, before the field was added. */
const without = (record: object, field: string) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));

describe('A record in the cache', () => {
  it('is believed, with fields of a newer release, too', () => {
    const record = { user: { ...USER, locale: 'de-AT' }, auth: AUTH };
    expect(readAuthRecord(record, ID)).toEqual(record);
    expect(readAccountDates({ ...DATES, locale: null })).toEqual({ ...DATES, locale: null });
  });

  it.each(Object.keys(USER))('is a miss without user.%s', (field) => {
    expect(readAuthRecord({ user: without(USER, field), auth: AUTH }, ID)).toBeNull();
  });

  it.each(Object.keys(AUTH))('is a miss without auth.%s', (field) => {
    expect(readAuthRecord({ user: USER, auth: without(AUTH, field) }, ID)).toBeNull();
  });

  it.each(Object.keys(DATES))('is a miss without %s', (field) => {
    expect(readAccountDates(without(DATES, field))).toBeNull();
  });

  it.each([null, undefined, 'text', 1, [], { user: USER }, { user: null, auth: AUTH }])(
    'is a miss where it is of another shape: %j',
    (value) => expect([readAuthRecord(value, ID), readAccountDates(value)]).toEqual([null, null]),
  );

  it('is a miss under the key of somebody else', () => {
    expect(readAuthRecord({ user: USER, auth: AUTH }, AUTH._id)).toBeNull();
  });
});
