/** The limit that a request counts against; `route` is a limit of the route's own. */
export type RouteLimitName = 'auth' | 'general' | 'route';
/** The same, or the quota of an account. */
export type LimitName = RouteLimitName | 'account';

/** Prefix of the names of all request counters. */
export const THROTTLING_KEYS = 'throttle:';

/**
 * The name of a request's counter.
 * @param route class and method of its handler, since a URL can be written in many ways
 * @param namespace name of the test run; null without one, and in production
 */
export function throttlingKey(name: RouteLimitName, route: string, bucket: string, namespace: string | null): string {
  const scope = name === 'general' ? name : `${name}:${route}`;
  return `${THROTTLING_KEYS}${namespace === null ? '' : `in:${namespace}:`}${scope}:${bucket}`;
}
