import type { EndListener } from '../../../common/http/index.js';
import type { Metrics } from './metrics.js';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** All other methods count as one: Node's parser knows some thirty more, and a caller may try them all. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Durations of requests by route, not by URL: whatever is requested, the number of series is bounded. */
export function measureRequests(metrics: Metrics): EndListener {
  const durations = metrics.histogram(
    'http_request_duration_seconds',
    'Time from the last header to the end of the answer; route "none": no such path or method; status 499: the caller gave up',
    SECONDS,
    ['method', 'route', 'status'],
  );
  const observers = new Map<string, (seconds: number) => void>();
  return (request, status, durationMs) => {
    const method = METHODS.has(request.method) ? request.method : 'other';
    const route = request.routeOptions.url ?? 'none';
    const key = `${method} ${route} ${status}`;
    let observe = observers.get(key);
    if (!observe) observers.set(key, (observe = durations.labels(method, route, String(status)).observe));
    observe(durationMs / 1000);
  };
}
