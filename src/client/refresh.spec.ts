import { afterEach, describe, expect, it, vi } from 'vitest';
import { loggedIn, ok, refusal, tokens } from './logged-in-client.spec-support.js';
import { memoryStore, webStore } from './session-store.js';

const REFRESH = '/auth/refresh-token';

describe('A refresh of the typed client', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('waits for nobody who does not share its store, and for those alone who do', async () => {
    const names: string[] = [];
    const locks = {
      request(name: string, work: () => Promise<unknown>) {
        names.push(name);
        return work();
      },
    };
    vi.stubGlobal('navigator', { locks });
    const storage = () => {
      const kept = new Map<string, string>();
      return {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, text: string) => void kept.set(key, text),
        removeItem: (key: string) => void kept.delete(key),
      };
    };
    for (const store of [memoryStore(), webStore(storage()), webStore(storage(), 'admin')]) {
      const { api } = await loggedIn((path) => ok(path === REFRESH ? tokens('second') : 'parcel'), 0, store);
      expect(await api.getParcel?.({ id: '1' })).toBe('parcel');
    }
    expect(names).toEqual(['account-session', 'admin']);
  });

  it.each([
    [401, '<h1>Log in at the proxy</h1>'],
    [401, '{"code":"sso_required","message":"Log in at the proxy"}'],
    [200, '{"message":"hi"}'],
    [200, '{"message":"hi","data":{}}'],
    [200, '{"message":"hi","data":null}'],
    [200, '{"message":"hi","data":{"token":"at","refresh_token":"rt"}}'],
  ])('that something else answers with %d %s leaves the session as it is', async (status, text) => {
    const { api, asked, ends, store } = await loggedIn(() => new Response(text, { status }), 0);
    const before = store.read();
    await expect(api.getParcel?.({ id: '1' })).rejects.toMatchObject({ name: 'AccountError', status });
    expect([asked.length, ends, store.read()]).toEqual([1, [], before]);
  });

  it('ends a session whose refresh token has expired', async () => {
    const { api, ends, store } = await loggedIn(() => refusal(401, 'token_expired'), 0);
    await expect(api.getParcel?.({ id: '1' })).rejects.toMatchObject({ code: 'token_expired' });
    expect([ends, store.read()]).toEqual([['token_expired'], null]);
  });

  it('of a session is not waited for by the next one', async () => {
    vi.useFakeTimers();
    let isHanging = true;
    const { api, store } = await loggedIn((path) => {
      if (path !== REFRESH) return ok('parcel');
      return isHanging ? new Promise<Response>(() => undefined) : ok(tokens('second'));
    }, 0);
    const lost = expect(api.getParcel?.({ id: '1' })).rejects.toMatchObject({ code: 'authentication_required' });
    await vi.advanceTimersByTimeAsync(100);
    isHanging = false;
    await api.login?.({});
    expect(await api.getParcel?.({ id: '1' })).toBe('parcel');
    expect(store.read()?.refresh_token).toBe('rt-second');
    await vi.advanceTimersByTimeAsync(60_000);
    await lost;
    expect(store.read()?.refresh_token).toBe('rt-second');
  });

  it('is the only request that sets a signal: the time-out of a `fetch` of one’s own holds for all others', async () => {
    const { api, asked } = await loggedIn((path) => ok(path === REFRESH ? tokens('second') : 'parcel'), 0);
    await api.getParcel?.({ id: '1' });
    expect(asked.map(({ path, init }) => [path, 'signal' in init])).toEqual([
      [REFRESH, true],
      ['/api/parcels/1', false],
    ]);
  });
});
