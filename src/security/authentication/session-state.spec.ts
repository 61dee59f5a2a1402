import { describe, expect, it } from 'vitest';
import { readSessionState } from './session-state.js';

describe('A session in the cache', () => {
  it.each([{ user: '66f2a1b3c4d5e6f708192a3b' }, { ended: 'logged_out' }])('is believed: %j', (value) => {
    expect(readSessionState(value)).toEqual(value);
  });

  it.each([null, 'text', {}, { user: 1 }, { ended: 'by_a_reason_of_tomorrow' }, { ended: 1 }])(
    'is a miss where it is of another shape: %j',
    (value) => expect(readSessionState(value)).toBeNull(),
  );
});
