import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Status under which a request counts whose caller went away before any answer, as nginx has it. */
const CALLER_GONE = 499;

const REPLY = Symbol('reply');
type TellingResponse = ServerResponse & { [REPLY]?: FastifyReply };

/** @param status what was sent; 499 if the caller went away before */
export type EndListener = (request: FastifyRequest, reply: FastifyReply, status: number) => void;

/**
 * Tells of each request once it is over. Fastify's `onResponse` alone misses those whose callers gave up waiting: in an outage,
 * most.
 */
export function onEachEnd(server: FastifyInstance, listeners: EndListener[]): void {
  const end = (response: TellingResponse, status: number) => {
    const reply = response[REPLY];
    if (!reply) return;
    delete response[REPLY];
    for (const listener of listeners) listener(reply.request, reply, status);
  };
  // One function for all responses, and not a closure for each: this runs for every request.
  function closed(this: TellingResponse): void {
    end(this, this.headersSent ? this.statusCode : CALLER_GONE);
  }
  server.addHook('onRequest', (_request, reply, done) => {
    (reply.raw as TellingResponse)[REPLY] = reply;
    reply.raw.on('close', closed);
    done();
  });
  server.addHook('onResponse', (_request, reply, done) => {
    end(reply.raw, reply.statusCode);
    done();
  });
}
