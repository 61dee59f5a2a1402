import { createClient } from './account-client.js';
import { memoryStore, type SessionStore } from './session-store.js';

/** Of a service whose answers a test gives. */
export const ROUTES = {
  login: 'POST /auth/login !',
  logout: 'POST /auth/logout',
  refreshToken: 'POST /auth/refresh-token !',
  getParcel: 'GET /api/parcels/{id}',
  changeParcel: 'PATCH /api/parcels/{id}',
};
export const tokens = (name: string, expires_in = 3600) => ({
  token: `at-${name}`,
  refresh_token: `rt-${name}`,
  expires_in,
});
export const ok = (data: unknown) => Response.json({ message: 'OK', data });
export const refusal = (status: number, code: string) => Response.json({ code }, { status });

/** A client that is logged in to a service which answers so. */
export const loggedIn = async (
  answer: (path: string, init: RequestInit) => Response | Promise<Response>,
  expires_in?: number,
  store: SessionStore = memoryStore(),
) => {
  const ends: string[] = [];
  const asked: { path: string; init: RequestInit }[] = [];
  const api = createClient<{ [Id in keyof typeof ROUTES]: { responses: object } }>(ROUTES, {
    store,
    onSessionEnd: (code) => ends.push(code),
    fetch: async (input, init = {}) => {
      const path = input as string;
      if (path === '/auth/login') return ok(tokens('first', expires_in));
      asked.push({ path, init });
      return answer(path, init);
    },
  }) as unknown as Record<string, (input?: object) => Promise<unknown>>;
  await api.login?.({});
  return { api, asked, ends, store };
};
