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

  it('keeps a session that a full storage does not take as long as the page, and leaves none there that was replaced', () => {
    const kept = new Map<string, string>();
    let isFull = false;
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => {
        if (isFull) throw new DOMException('full', 'QuotaExceededError');
        kept.set(key, value);
      },
      removeItem: (key: string) => void kept.delete(key),
    };
    const [page, otherPage] = [webStore(storage), webStore(storage)];
    const session = (name: string) => ({ token: `at-${name}`, refresh_token: `rt-${name}`, expires_at: 1 });
    page.write(session('a'));
    isFull = true;
    page.write(session('b'));
    expect([page.read(), otherPage.read()]).toEqual([session('b'), null]);
    isFull = false;
    page.write(session('c'));
    expect([page.read(), otherPage.read()]).toEqual([session('c'), session('c')]);
    isFull = true;
    page.write(session('d'));
    page.write(null);
    expect([page.read(), otherPage.read()]).toEqual([null, null]);
  });
});
