import type { LimitClass } from '../../common/access/index.js';

/** How the names of all counters of requests begin. */
export const THROTTLING_KEYS = 'throttle:';

/**
 * The counter of a request.
 * @param route class and method of its handler; the URL can be written in many ways
 * @param namespace of the test run; null in production, and for whoever names none
 */
export function throttlingKey(name: LimitClass, route: string, bucket: string, namespace: string | null): string {
  const scope = name === 'auth' ? `auth:${route}` : name;
  return `${THROTTLING_KEYS}${namespace === null ? '' : `in:${namespace}:`}${scope}:${bucket}`;
}
