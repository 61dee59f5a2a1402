import { describe, expect, it } from 'vitest';
import { loggedIn, ok, refusal, ROUTES, tokens } from './logged-in-client.spec-support.js';
import { createClient } from './account-client.js';
import { memoryStore } from './session-store.js';

describe('The typed client of several tabs', () => {
  describe('whose session another tab ends', () => {
    const later = { token: 'at-later', refresh_token: 'rt-later', expires_at: Infinity };

    it('is told so once, with the next request; with each session anew', async () => {
      const { api, ends, store } = await loggedIn(() => ok('parcel'));
      for (const session of [null, later, null]) {
        store.write(session);
        await Promise.allSettled([api.getParcel?.({ id: '1' }), api.getParcel?.({ id: '2' })]);
      }
      expect(ends).toEqual(['authentication_required', 'authentication_required']);
    });

    it('is told so of one that was there when the page came, and of none that was not', async () => {
      const heard: string[] = [];
      for (const session of [later, null]) {
        const store = memoryStore();
        store.write(session);
        const client = createClient<{ getParcel: { responses: object } }>(ROUTES, {
          store,
          onSessionEnd: (code) => heard.push(code),
        });
        store.write(null);
        await expect(client.getParcel()).rejects.toMatchObject({ status: 0, code: 'authentication_required' });
      }
      expect(heard).toEqual(['authentication_required']);
    });

    it('is told why, where it asks the service at the same time', async () => {
      const { api, ends, store } = await loggedIn(() => {
        store.write(null);
        return refusal(401, 'logged_out');
      });
      await Promise.allSettled([api.getParcel?.({ id: '1' }), api.getParcel?.({ id: '2' })]);
      expect(ends).toEqual(['logged_out']);
    });
  });

  describe('beside which another tab logs in as somebody else', () => {
    const theirs = { token: 'at-theirs', refresh_token: 'rt-theirs', expires_at: Infinity, since: 1 };
    const sentAs = (asked: { path: string; init: RequestInit }[]) =>
      asked.map(({ path, init }) => [path, (init.headers as Record<string, string>).authorization]);

    it('sends nothing in their name that was begun before, whether its token expires or is refreshed', async () => {
      for (const expires_in of [3600, 0]) {
        const { api, asked, ends, store } = await loggedIn((path) => {
          store.write(theirs);
          return path === '/auth/refresh-token' ? ok(tokens('second')) : refusal(401, 'token_expired');
        }, expires_in);
        await expect(api.changeParcel?.({ id: '1' })).rejects.toMatchObject({
          status: 0,
          code: 'authentication_required',
        });
        expect([asked.length, ends, store.read()]).toEqual([1, ['authentication_required'], theirs]);
      }
    });

    it('tells so with the next request, which it refuses, and is theirs from then on', async () => {
      const { api, asked, ends, store } = await loggedIn(() => ok('parcel'));
      expect(api.isLoggedIn?.()).toBe(true);
      store.write(theirs);
      expect([api.isLoggedIn?.(), ends]).toEqual([false, []]);
      await expect(api.changeParcel?.({ id: '1' })).rejects.toMatchObject({ code: 'authentication_required' });
      expect([api.isLoggedIn?.(), ends, asked]).toEqual([true, ['authentication_required'], []]);
      expect(await api.getParcel?.({ id: '1' })).toBe('parcel');
      expect(sentAs(asked)).toEqual([['/api/parcels/1', 'Bearer at-theirs']]);
    });

    it('logs nobody out but its own user, who may have been logged out already', async () => {
      for (const comesFirst of [true, false]) {
        const { api, asked, ends, store } = await loggedIn(() => {
          store.write(theirs);
          return refusal(401, 'logged_out');
        });
        if (comesFirst) store.write(theirs);
        await api.logout?.();
        expect(ends).toEqual([comesFirst ? 'authentication_required' : 'logged_out']);
        expect(sentAs(asked)).toEqual(comesFirst ? [] : [['/auth/logout', 'Bearer at-first']]);
        expect(store.read()).toEqual(theirs);
      }
    });

    it('leaves a session alone that it has begun itself meanwhile', async () => {
      const { api, ends, store } = await loggedIn(async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        await api.login?.({});
        return refusal(401, 'session_revoked');
      });
      await expect(api.getParcel?.({ id: '1' })).rejects.toMatchObject({ code: 'session_revoked' });
      expect([api.isLoggedIn?.(), ends, store.read()?.refresh_token]).toEqual([true, [], 'rt-first']);
    });
  });
});
