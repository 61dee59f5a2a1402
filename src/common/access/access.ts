/**
 * The counter for a route's requests: `auth`, one for each route, with the limit for `/auth`; `general`, one for all other routes
 * together; `none`, no limit.
 */
export type LimitClass = 'auth' | 'general' | 'none';

export interface RateLimit {
  /** How many requests one address may send in a window (draft-ietf-httpapi-ratelimit-headers-11). */
  quota: number;
  /** Length of the window, which begins with the first request. */
  windowMs: number;
}

/** What each role may do, for the OpenAPI document. */
export const ROLE_MEANINGS = { admin: 'administers accounts and API keys' } as const;
/** A role that an account has in addition to being a user; most accounts have none. */
export type Role = keyof typeof ROLE_MEANINGS;
export const ROLES = Object.keys(ROLE_MEANINGS) as Role[];

/** Who may call a route, and how often. Every route declares it; a route that does not is refused at the start. */
export interface Access {
  apiKey: boolean;
  bearer: boolean;
  /** The account needs one of these; an empty list asks for no role. */
  roles: readonly Role[];
  /** A `RateLimit` gives the route a counter of its own. */
  limit: LimitClass | RateLimit;
}

/** Metadata key of a route's {@link Access}. */
export const ACCESS = Symbol('ACCESS');
