/** Which limit a request counts against; `route` is one of the route's own. */
export type LimitName = 'auth' | 'general' | 'route';

/** How the names of all counters of requests begin. */
export const THROTTLING_KEYS = 'throttle:';

/**
 * The counter of a request.
 * @param route class and method of its handler; the URL can be written in many ways
 * @param namespace of the test run; null in production, and for whoever names none
 */
export function throttlingKey(name: LimitName, route: string, bucket: string, namespace: string | null): string {
  const scope = name === 'general' ? name : `${name}:${route}`;
  return `${THROTTLING_KEYS}${namespace === null ? '' : `in:${namespace}:`}${scope}:${bucket}`;
}
