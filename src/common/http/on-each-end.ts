import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Status under which a request counts whose caller went away before any answer, as nginx has it. */
const CALLER_GONE = 499;

const STATE = Symbol('state');
const WRITTEN_STATUS = Symbol('written status');
type KnownResponse = ServerResponse & {
  [STATE]?: { reply: FastifyReply; isTold: boolean };
  /** Of an answer that was written past the response, perhaps before its request began. */
  [WRITTEN_STATUS]?: number;
};

/** @param status what was sent; 499 if the caller went away before */
export type EndListener = (request: FastifyRequest, reply: FastifyReply, status: number) => void;

/**
 * Tells of each request once it is answered, or given up by its caller before any answer: in an outage that is most, and Fastify's
 * `onResponse` misses them. Untold are answers that were cut off while they were sent, such as streams, and those of a pipeline
 * behind another whose connection breaks.
 */
export function onEachEnd(server: FastifyInstance, listeners: EndListener[]): void {
  const tell = (reply: FastifyReply, status: number) => {
    for (const listener of listeners) listener(reply.request, reply, status);
  };
  // One function for all responses, and not a closure for each: this runs for every request.
  function closed(this: KnownResponse): void {
    const state = this[STATE];
    if (state && !state.isTold && !this.headersSent) tell(state.reply, this[WRITTEN_STATUS] ?? CALLER_GONE);
  }
  server.addHook('onRequest', (_request, reply, done) => {
    (reply.raw as KnownResponse)[STATE] = { reply, isTold: false };
    reply.raw.on('close', closed);
    done();
  });
  server.addHook('onResponse', (_request, reply, done) => {
    // A preflight was answered before the hook above.
    const state = (reply.raw as KnownResponse)[STATE];
    if (state) state.isTold = true;
    tell(reply, reply.statusCode);
    done();
  });
}

/**
 * To be called for an answer that is written to the socket, past its response.
 * @returns the request that it answers, if it is known
 */
export function noteAnswer(response: KnownResponse, status: number): FastifyRequest | undefined {
  response[WRITTEN_STATUS] = status;
  return response[STATE]?.reply.request;
}
