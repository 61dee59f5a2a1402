import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** The first of a cohort waits for the last. Half as many requests would have nearly the whole effect. */
const MAX_COHORT = 16;

interface Arrival {
  request: IncomingMessage;
  response: ServerResponse;
  /** The async context in which it arrived, by which tracing follows it. */
  context: AsyncResource;
}

/**
 * Starts all requests that arrive in one turn of the event loop together, so that each step runs for all of them before the
 * next step begins (cohort scheduling: Larus and Parkes, 2002). The code that one request runs is many times as large as the
 * processor's caches and would be loaded anew for each request: together, a core serves up to half as many more
 * (docs/performance.md). A request that arrives alone does not wait.
 */
export function inCohorts(handle: RequestListener): RequestListener {
  let arrivals: Arrival[] = [];
  const handleAll = (cohort: Arrival[]) => {
    if (cohort === arrivals) arrivals = [];
    // All in one callback: promises continue only after it, when every request has reached its first wait.
    for (const { request, response, context } of cohort) context.runInAsyncScope(handle, undefined, request, response);
  };
  return (request, response) => {
    if (arrivals.length === MAX_COHORT) arrivals = [];
    const count = arrivals.push({ request, response, context: new AsyncResource('HTTP_REQUEST') });
    if (count === 1) setImmediate(handleAll, arrivals);
  };
}
