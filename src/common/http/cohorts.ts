import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** The first of them waits for the last. With half as many nearly all is won that there is to win. */
const MAX_COHORT = 16;

interface Arrival {
  request: IncomingMessage;
  response: ServerResponse;
  /** Tracing follows a request by what is the context of its arrival. */
  context: AsyncResource;
}

/**
 * Lets requests that arrive in one turn of the event loop go through the service side by side, each of its steps for all of
 * them and then the next (cohort scheduling: Larus and Parkes, 2002). The code of a request is many times as large as the
 * processor's caches, and is fetched for each that goes through alone: side by side a core does up to half as many more
 * (docs/performance.md). Who is alone waits for nobody.
 */
export function inCohorts(handle: RequestListener): RequestListener {
  let arrivals: Arrival[] = [];
  const handleAll = (cohort: Arrival[]) => {
    if (cohort === arrivals) arrivals = [];
    // Within one callback: what any of them waits for goes on when all have come that far.
    for (const { request, response, context } of cohort) context.runInAsyncScope(handle, undefined, request, response);
  };
  return (request, response) => {
    if (arrivals.length === MAX_COHORT) arrivals = [];
    const count = arrivals.push({ request, response, context: new AsyncResource('HTTP_REQUEST') });
    if (count === 1) setImmediate(handleAll, arrivals);
  };
}
