/** Which counter a route's requests count against. */
export type LimitClass = 'auth' | 'general' | 'none';

export const ROLES = ['admin'] as const;
/** What an account may be beside a user; most have none. */
export type Role = (typeof ROLES)[number];

/** Who may call a route, and how often. Every route declares it; a route that does not is refused at the start. */
export interface Access {
  apiKey: boolean;
  bearer: boolean;
  /** Any of them will do; none is asked for where there are none. */
  roles: readonly Role[];
  limit: LimitClass;
}

/** Metadata key of a route's {@link Access}. */
export const ACCESS = Symbol('ACCESS');
