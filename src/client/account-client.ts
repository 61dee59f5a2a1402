import { AccountError, type Refusal } from './account-error.js';
import type { Data, Input } from './operation-types.js';
import { parsed } from './parsed.js';
import { keepSession, type Tokens } from './session-keeper.js';
import { memoryStore, type SessionStore } from './session-store.js';

export interface ClientOptions {
  /** Where the service answers, e.g. `https://accounts.example`; without it, the page's own origin. */
  baseUrl?: string;
  /** The key of the calling application, for operations that want one. */
  apiKey?: string;
  /** Where the session is kept; in memory unless told otherwise. */
  store?: SessionStore;
  /** Hears once that the session is over, and why: an error code; `authentication_required` where another tab knows it. */
  onSessionEnd?: (code: string) => void;
  /** Stands in for the platform's own. */
  fetch?: typeof fetch;
}

/**
 * One method for each operation of the document, by its `operationId`. It takes path parameters, query and body in one
 * object, and yields `data`. The client keeps, sends and refreshes the tokens; no operation has to be given them.
 * @throws AccountError for every refusal; TypeError where the service cannot be reached or its answer breaks off; a TimeoutError
 *   where a refresh is not answered
 */
export type AccountClient<Operations> = {
  [Id in Exclude<keyof Operations, 'refreshToken'>]: (
    ...input: Input<Operations[Id], Id extends Ending ? 'refresh_token' : never>
  ) => Promise<Data<Operations[Id]>>;
} & {
  /** Whether there is a session. The service may have ended it meanwhile; the next request will tell. */
  isLoggedIn(): boolean;
  /** A good access token, for requests to other services. @throws AccountError without a session */
  accessToken(): Promise<string>;
};

type Fields = Record<string, unknown>;

/** Operations that end the session they are called with, and whose refresh token the client gives them. */
type Ending = 'logout' | 'itsNotMe';
const ENDINGS: Record<Ending, string> = { logout: 'logged_out', itsNotMe: 'reported_not_me' };

/** A list is repeated, `label=a&label=b`: so the document has it, and so the service reads it. */
function queryOf(fields: Fields): string {
  const query = new URLSearchParams();
  // As in a body: a date is written as JSON has it, and what is undefined is left out.
  for (const [name, value] of Object.entries(JSON.parse(JSON.stringify(fields)) as Fields))
    for (const one of [value].flat()) query.append(name, one as string);
  return query.toString().replace(/^(?=.)/, '?');
}

/**
 * @param routes of each operation its method, its path as a URI template (RFC 6570), and `open` where it wants no token.
 *   Fields that the template does not name go into the body of a POST, PUT or PATCH, and the query of the others
 */
export function createClient<Operations>(
  routes: Record<string, string>,
  { baseUrl = '', apiKey, store = memoryStore(), onSessionEnd, fetch: send = fetch }: ClientOptions = {},
): AccountClient<Operations> {
  const exchange = (refresh_token: string, signal: AbortSignal) =>
    request('refreshToken', { refresh_token }, undefined, signal) as Promise<Tokens>;
  const session = keepSession(store, exchange, onSessionEnd);

  async function request(id: string, input: Fields, token?: string, signal?: AbortSignal): Promise<unknown> {
    const [method, template = ''] = (routes[id] as string).split(' ');
    const fields = { ...input };
    const path = template.replace(/{(\??)(.+?)}/g, (_match, isQuery: string, names: string) => {
      const named: Fields = {};
      for (const name of names.split(',')) {
        named[name] = fields[name];
        delete fields[name];
      }
      return isQuery ? queryOf(named) : encodeURIComponent(named[names] as string);
    });
    const body = method?.startsWith('P') ? JSON.stringify(fields) : undefined;
    const response = await send(baseUrl + path + (body ? '' : queryOf(fields)), {
      ...(body && { body }),
      ...(signal && { signal }),
      method: method as string,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(apiKey && { 'x-api-key': apiKey }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
    });
    // A proxy in between may answer with a page.
    const answer = parsed(await response.text()) as Refusal & { data?: unknown };
    if (response.ok) return answer.data;
    throw new AccountError(response.status, answer, response.headers.get('x-request-id'));
  }

  async function call(id: string, input: Fields = {}): Promise<unknown> {
    if (routes[id]?.endsWith(' open')) {
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
      // To log out of a session that is over already is no failure.
      if (id === 'logout' && !store.read()) return undefined;
      throw error;
    }
  }

  const methods = Object.keys(routes).map((id) => [id, (input?: Fields) => call(id, input)]);
  return {
    ...Object.fromEntries(methods),
    isLoggedIn: () => !!store.read(),
    accessToken: async () => (await session.current()).token,
  };
}
