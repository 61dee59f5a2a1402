import { afterEach, describe, expect, it, vi } from 'vitest';
import { loggedIn, ok, refusal, tokens } from './logged-in-client.spec-support.js';
import { memoryStore, type Session } from './session-store.js';

describe('The typed client', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  it.each([
    'token_invalid',
    'session_revoked',
    'logged_out',
    'refresh_token_reused',
    'password_changed',
    'reported_not_me',
    'account_disabled',
  ])('takes its session for over when it is told %s, with a request or a refresh', async (code) => {
    for (const expires_in of [3600, 0]) {
      const { api, ends, store } = await loggedIn(() => refusal(401, code), expires_in);
      await expect(api.getParcel?.({ id: '1' })).rejects.toMatchObject({ status: 401, code });
      expect([ends, store.read()]).toEqual([[code], null]);
    }
  });

  it.each([
    [401, 'invalid_api_key'],
    [403, 'role_required'],
    [404, 'not_found'],
    [429, 'too_many_requests'],
    [503, 'service_unavailable'],
    // Of a module of one's own.
    [400, 'invitation_token_invalid'],
    [401, 'linked_account_disabled'],
  ])('keeps its session when it is refused with %d %s', async (status, code) => {
    const { api, ends, store } = await loggedIn(() => refusal(status, code));
    await expect(api.getParcel?.({ id: '1' })).rejects.toMatchObject({ status, code });
    expect([ends, store.read()?.refresh_token]).toEqual([[], 'rt-first']);
  });

  it.each([
    [429, 'too_many_requests', 1],
    [503, 'service_unavailable', 3],
  ])('keeps its session when a refresh is refused for a while with %d %s', async (status, code, tries) => {
    vi.useFakeTimers();
    const { api, asked, ends, store } = await loggedIn(() => refusal(status, code), 0);
    const outcome = expect(api.getParcel?.({ id: '1' })).rejects.toMatchObject({ status, code });
    await vi.advanceTimersByTimeAsync(1_000);
    await outcome;
    expect([asked.length, ends, store.read()?.refresh_token]).toEqual([tries, [], 'rt-first']);
  });

  describe('whose refresh is not answered', () => {
    const never = (signal: AbortSignal) =>
      new Promise<Response>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as DOMException)),
      );
    const later = async (ms: number, response: Response) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return response;
    };
    /** @returns also when each refresh was sent, in ms since the first */
    const refreshing = async (answer: (signal: AbortSignal) => Promise<Response>) => {
      vi.useFakeTimers();
      const began = Date.now();
      const sentAt: number[] = [];
      const client = await loggedIn((path, { signal }) => {
        if (path !== '/auth/refresh-token') return ok('parcel');
        sentAt.push(Date.now() - began);
        return answer(signal as AbortSignal);
      }, 0);
      return { ...client, sentAt };
    };

    it.each([
      { line: 'slow', answeredAfter: 6_000, sent: [0, 3_500] },
      { line: 'very slow', answeredAfter: 20_000, sent: [0, 3_500, 7_000] },
    ])('takes the answer that comes at last on a $line line, and asks no more', async ({ answeredAfter, sent }) => {
      const signals: AbortSignal[] = [];
      const { api, ends, sentAt, store } = await refreshing((signal) => {
        signals.push(signal);
        return Promise.race([never(signal), later(answeredAfter, ok(tokens('second')))]);
      });
      const parcel = api.getParcel?.({ id: '1' });
      await vi.advanceTimersByTimeAsync(answeredAfter);
      expect(await parcel).toBe('parcel');
      await vi.advanceTimersByTimeAsync(60_000);
      expect([sentAt, ends, store.read()?.refresh_token]).toEqual([sent, [], 'rt-second']);
      // What is still on its way would look like theft.
      expect(signals.every(({ aborted }) => aborted)).toBe(true);
    });

    it.each([
      { what: 'was logged out', later: () => null, outcome: { reason: { code: 'authentication_required' } } },
      {
        what: 'has been refreshed by another tab',
        later: (session: Session) => ({ ...session, refresh_token: 'rt-other', expires_at: Infinity }),
        outcome: { value: 'parcel' },
      },
    ])('asks no more for a session that $what meanwhile', async ({ later, outcome }) => {
      const { api, sentAt, store } = await refreshing(never);
      const parcel = Promise.allSettled([api.getParcel?.({ id: '1' })]);
      await vi.advanceTimersByTimeAsync(3_200);
      store.write(later(store.read() as Session));
      await vi.advanceTimersByTimeAsync(500);
      expect(await parcel).toMatchObject([outcome]);
      expect(sentAt).toEqual([0]);
    });

    it('gives up at last, and keeps its session', async () => {
      const { api, ends, sentAt, store } = await refreshing(never);
      const outcome = expect(api.getParcel?.({ id: '1' })).rejects.toMatchObject({ name: 'TimeoutError' });
      await vi.advanceTimersByTimeAsync(39_000);
      await outcome;
      expect([sentAt.length, ends, store.read()?.refresh_token]).toEqual([3, [], 'rt-first']);
    });
  });

  it('refreshes where the page is denied locks, as one is that may store nothing', async () => {
    const request = vi.fn().mockRejectedValue(new DOMException('The request was denied.', 'SecurityError'));
    vi.stubGlobal('navigator', { locks: { request } });
    const { api, asked } = await loggedIn(
      (path) => (path === '/auth/refresh-token' ? ok(tokens('second')) : ok('parcel')),
      0,
      { ...memoryStore(), lock: 'shared' },
    );
    expect(await Promise.all([api.getParcel?.({ id: '1' }), api.getParcel?.({ id: '1' })])).toEqual([
      'parcel',
      'parcel',
    ]);
    expect(request).toHaveBeenCalledOnce();
    expect(asked.filter(({ path }) => path === '/auth/refresh-token')).toHaveLength(1);
  });

  it('refreshes a token that would expire within ten seconds, and none before', async () => {
    for (const [expires_in, paths] of [
      [9, ['/auth/refresh-token', '/api/parcels/1']],
      [60, ['/api/parcels/1']],
    ] as const) {
      const { api, asked } = await loggedIn(
        (path) => (path === '/auth/refresh-token' ? ok(tokens('second')) : ok('parcel')),
        expires_in,
      );
      expect(await api.getParcel?.({ id: '1' })).toBe('parcel');
      expect(asked.map(({ path }) => path)).toEqual(paths);
    }
  });

  it('refreshes once under its lock, and is told of the refusal', async () => {
    const request = (_name: string, work: () => Promise<unknown>) => work();
    vi.stubGlobal('navigator', { locks: { request } });
    const store = { ...memoryStore(), lock: 'shared' };
    const { api, asked } = await loggedIn(() => refusal(429, 'too_many_requests'), 0, store);
    await expect(api.getParcel?.({ id: '1' })).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(asked).toHaveLength(1);
  });

  it.each([
    [429, 'too_many_requests'],
    [503, 'service_unavailable'],
  ])('is told when it could not log out, and keeps its session: %d %s', async (status, code) => {
    const { api, ends, store } = await loggedIn(() => refusal(status, code));
    await expect(api.logout?.()).rejects.toMatchObject({ status, code });
    expect([ends, store.read()?.refresh_token]).toEqual([[], 'rt-first']);
  });

  it('refreshes once more where the service failed, which may have been after it refreshed', async () => {
    vi.useFakeTimers();
    let refreshes = 0;
    const { api } = await loggedIn((path) => {
      if (path !== '/auth/refresh-token') return ok('parcel');
      refreshes += 1;
      return refreshes === 1 ? refusal(503, 'service_unavailable') : ok(tokens('second'));
    }, 0);
    const parcel = api.getParcel?.({ id: '1' });
    await vi.advanceTimersByTimeAsync(500);
    expect(await parcel).toBe('parcel');
    expect(refreshes).toBe(2);
  });

  it('keeps a session that began while a request of the one before was told that that is over', async () => {
    const { api, ends, store } = await loggedIn(() => {
      store.write({ token: 'at-later', refresh_token: 'rt-later', expires_at: Date.now() + 3_600_000 });
      return refusal(401, 'session_revoked');
    });
    await expect(api.getParcel?.({ id: '1' })).rejects.toMatchObject({ code: 'session_revoked' });
    expect([ends, store.read()?.refresh_token]).toEqual([['session_revoked'], 'rt-later']);
  });

  it('keeps a session whose tokens another tab has replaced while those before were refused', async () => {
    const { api, ends, store } = await loggedIn(() => {
      store.write({ ...(store.read() as Session), token: 'at-other', refresh_token: 'rt-other' });
      return refusal(401, 'token_invalid');
    });
    await expect(api.getParcel?.({ id: '1' })).rejects.toMatchObject({ code: 'token_invalid' });
    expect([ends, store.read()?.refresh_token]).toEqual([[], 'rt-other']);
  });

  it('does not come back to life by the answer to a refresh that a logout has overtaken', async () => {
    const { api, store } = await loggedIn(() => {
      store.write(null);
      return ok(tokens('second'));
    }, 0);
    await expect(api.getParcel?.({ id: '1' })).rejects.toMatchObject({ status: 0, code: 'authentication_required' });
    expect(store.read()).toBeNull();
  });

  it('goes on when another tab has stored what the same refresh yielded', async () => {
    const { api, asked, store } = await loggedIn((path) => {
      if (path !== '/auth/refresh-token') return ok('parcel');
      store.write({ token: 'at-second', refresh_token: 'rt-second', expires_at: Date.now() + 3_600_000 });
      return ok(tokens('second'));
    }, 0);
    expect(await api.getParcel?.({ id: '1' })).toBe('parcel');
    expect(asked.map(({ path }) => path)).toEqual(['/auth/refresh-token', '/api/parcels/1']);
  });

  it('asks once more, and no more than that, when the service takes the token for expired', async () => {
    const { api, asked } = await loggedIn((path) =>
      path === '/auth/refresh-token' ? ok(tokens('second')) : refusal(401, 'token_expired'),
    );
    await expect(api.getParcel?.({ id: '1' })).rejects.toMatchObject({ code: 'token_expired' });
    expect(asked.map(({ path, init }) => [path, (init.headers as Record<string, string>).authorization])).toEqual([
      ['/api/parcels/1', 'Bearer at-first'],
      ['/auth/refresh-token', undefined],
      ['/api/parcels/1', 'Bearer at-second'],
    ]);
  });

  it('says "unknown" of what something else than the service answers, and keeps its session', async () => {
    const { api, store } = await loggedIn(() => new Response('<h1>Bad gateway</h1>', { status: 502 }));
    await expect(api.getParcel?.({ id: '1' })).rejects.toMatchObject({
      name: 'AccountError',
      status: 502,
      code: 'unknown',
    });
    expect(store.read()?.refresh_token).toBe('rt-first');
  });
});
