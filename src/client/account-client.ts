import { AccountError, type Refusal } from './account-error.js';
import type { Data, Input } from './operation-types.js';
import { parsed } from './parsed.js';
import { keepSession, type Tokens } from './session-keeper.js';
import { memoryStore, type SessionStore } from './session-store.js';

export interface ClientOptions {
  /** Address of the service, e.g. `https://accounts.example`; the page's own origin by default. */
  baseUrl?: string;
  /** The application's API key, for operations that require one. */
  apiKey?: string;
  /** Where the session is kept; in memory by default. */
  store?: SessionStore;
  /**
   * Called once when the session is over, with the error code; `authentication_required` if another tab has ended it, or has logged
   * in anew: then the request that finds out is refused, and the next one has that other session.
   */
  onSessionEnd?: (code: string) => void;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch;
}

/**
 * A client has one session: on a server, make one for each, never one for all users.
 * One method for each operation of the document, named by its `operationId`. It takes path parameters, query and body in one
 * object, and returns `data`. The client keeps, sends and refreshes the tokens; no operation has to be given them.
 * @throws AccountError for every refusal; TypeError if the service cannot be reached or its answer breaks off; a TimeoutError if a
 *   refresh is not answered
 */
export type AccountClient<Operations> = {
  [Id in Exclude<keyof Operations, 'refreshToken'>]: (
    ...input: Input<Operations[Id], Id extends Ending ? 'refresh_token' : never>
  ) => Promise<Data<Operations[Id]>>;
} & {
  /**
   * Whether the session is still here; false, too, if another tab has logged in anew, perhaps as somebody else. The service may have
   * ended it already, which the next request finds out.
   */
  isLoggedIn(): boolean;
  /** An access token that has not expired, for requests to other services. @throws AccountError without a session */
  accessToken(): Promise<string>;
};

type Fields = Record<string, unknown>;

/** Operations that end the session they are called with; the client adds its refresh token to them. */
type Ending = 'logout' | 'itsNotMe';
const ENDINGS: Record<Ending, string> = { logout: 'logged_out', itsNotMe: 'reported_not_me' };

/** A list becomes a repeated parameter, `label=a&label=b`, as the document says and the service reads it. */
function queryOf(fields: Fields): string {
  const query = new URLSearchParams();
  // As in a JSON body: dates become strings, and undefined is left out.
  for (const [name, value] of Object.entries(JSON.parse(JSON.stringify(fields)) as Fields))
    for (const one of [value].flat()) query.append(name, one as string);
  const text = `${query}`;
  return text && `?${text}`;
}

/**
 * @param routes for each operation its method, unless that is POST, its path as a URI template (RFC 6570), and `!` at its end if it needs no token.
 *   Fields that the template does not name go into the body of a POST, PUT or PATCH, or else into the query
 */
export function createClient<Operations>(
  routes: Record<string, string>,
  { baseUrl = '', apiKey, store = memoryStore(), onSessionEnd, fetch: send = fetch }: ClientOptions = {},
): AccountClient<Operations> {
  const exchange = (refresh_token: string, signal: AbortSignal) =>
    request('refreshToken', { refresh_token }, '', signal) as Promise<Tokens>;
  const session = keepSession(store, exchange, onSessionEnd);

  async function request(id: string, input: Fields, token?: string, signal?: AbortSignal): Promise<unknown> {
    const route = /(\w+)? ?([^ !]+)/.exec(routes[id] as string) as unknown as [string, string | undefined, string];
    const [, method = 'POST', template] = route;
    const fields = { ...input };
    const path = template.replace(/{(\??)(.+?)}/g, (_match, isQuery: string, names: string) => {
      const named: Fields = {};
      for (const name of names.split(',')) {
        named[name] = fields[name];
        delete fields[name];
      }
      if (isQuery) return queryOf(named);
      // Dots have no code, and `fetch` would go up, to the path of another operation: this cannot be decoded, and is refused.
      return encodeURIComponent(named[names] as string).replace(/^\.+$/, '%');
    });
    const body = method[0] === 'P' ? JSON.stringify(fields) : undefined;
    const response = await send(baseUrl.replace(/\/+$/, '') + path + (body ? '' : queryOf(fields)), {
      method,
      body,
      // What is not there must not replace what the caller's own `fetch` adds.
      ...(signal && { signal }),
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(apiKey && { 'x-api-key': apiKey }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
    });
    // A proxy in between may answer with HTML, and with 200, too.
    const answer = parsed(await response.text()) as Refusal & { data?: unknown };
    if (response.status === 204 || (response.ok && answer.message)) return answer.data;
    throw new AccountError(response.status, answer, response.headers.get('x-request-id'));
  }

  async function call(id: string, input: Fields = {}): Promise<unknown> {
    if ((routes[id] as string).endsWith('!')) {
      const data = await request(id, input);
      if (id === 'login') session.begin(data as Tokens);
      return data;
    }
    const ending = ENDINGS[id as Ending] as string | undefined;
    try {
      return await session.use(async (current) => {
        const fields = ending ? { refresh_token: current.refresh_token, ...input } : input;
        const data = await request(id, fields, current.token);
        if (ending) session.end(current, ending, 'since');
        return data;
      });
    } catch (error) {
      // Logging out of a session that is already over is no failure.
      if (id !== 'logout' || !session.isOver()) throw error;
    }
  }

  return {
    ...(Object.fromEntries(
      Object.keys(routes).map((id) => [id, (input?: Fields) => call(id, input)]),
    ) as object as AccountClient<Operations>),
    isLoggedIn: () => !!session.here(),
    accessToken: () => session.use((current) => current.token),
  };
}
