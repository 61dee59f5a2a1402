/** Which counter a route's requests count against: that of the route, with the numbers for `/auth`, or that of all others. */
export type LimitClass = 'auth' | 'general' | 'none';

export interface RateLimit {
  /** Requests of an address allowed in one window (draft-ietf-httpapi-ratelimit-headers-11). */
  quota: number;
  /** From the first of them on. */
  windowMs: number;
}

export const ROLES = ['admin'] as const;
/** What an account may be beside a user; most have none. */
export type Role = (typeof ROLES)[number];

/** Who may call a route, and how often. Every route declares it; a route that does not is refused at the start. */
export interface Access {
  apiKey: boolean;
  bearer: boolean;
  /** Any of them will do; none is asked for where there are none. */
  roles: readonly Role[];
  /** Numbers are those of a counter of the route's own. */
  limit: LimitClass | RateLimit;
}

/** Metadata key of a route's {@link Access}. */
export const ACCESS = Symbol('ACCESS');
