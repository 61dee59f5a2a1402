import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../errors/index.js';
import { sendError } from './send-error.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route may take longer, since it waits for something to happen. */
    waits?: boolean;
  }
}

const ANSWER_WITHIN_MS = 4_500;
const CHECKED_EVERY_MS = 100;

/**
 * Whatever hangs behind the service, its caller is told within five seconds. The work goes on until its own limits end
 * it; all of it is atomic, so that the caller may simply try again.
 */
export function answerInTime(server: FastifyInstance): void {
  // In the order of arrival, so that those due stand first: one timer looks after all.
  const arrivals = new Map<FastifyReply, number>();
  server.addHook('preValidation', (request, reply, done) => {
    if (!request.routeOptions.config.waits) arrivals.set(reply, performance.now());
    done();
  });
  server.addHook('onResponse', (_request, reply, done) => {
    arrivals.delete(reply);
    done();
  });
  const timer = setInterval(() => {
    const due = performance.now() - ANSWER_WITHIN_MS;
    for (const [reply, arrivedAt] of arrivals) {
      if (arrivedAt > due) return;
      arrivals.delete(reply);
      refuse(reply);
    }
  }, CHECKED_EVERY_MS).unref();
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer);
    done();
  });
}

function refuse(reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent) return;
  sendError(reply, new ApiError('service_unavailable'));
}
