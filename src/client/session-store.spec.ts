import { describe, expect, it } from 'vitest';
import { webStore } from './session-store.js';

describe('The typed client', () => {
  it.each(['', 'undefined', '{', '[]', '"text"', '{"token":"at"}'])(
    'has no session where its place in the storage of the page holds %j',
    (text) => {
      const storage = { getItem: () => text, setItem: () => undefined, removeItem: () => undefined };
      expect(webStore(storage).read()).toBeNull();
    },
  );
});
