import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Status under which a request counts whose caller went away before any answer, as nginx has it. */
const CALLER_GONE = 499;

const LISTENERS = Symbol('end listeners');
type KnownServer = FastifyInstance & { [LISTENERS]?: EndListener[] };

const STATE = Symbol('state');
const WRITTEN_STATUS = Symbol('written status');
type KnownResponse = ServerResponse & {
  [STATE]?: { reply: FastifyReply; startedAtMs: number; listeners: EndListener[] };
  /** Of an answer that was written past the response, perhaps before its request began. */
  [WRITTEN_STATUS]?: number;
};

/**
 * @param status what was sent; 499 if the caller went away before
 * @param durationMs since the request's headers had arrived
 */
export type EndListener = (request: FastifyRequest, status: number, durationMs: number) => void;

/**
 * Tells of each request once its answer has been sent, or its connection is gone: in an outage most are given up by their callers,
 * and Fastify's `onResponse` misses those.
 */
export function onEachEnd(server: KnownServer, listener: EndListener): void {
  if (!server[LISTENERS]) tell(server, (server[LISTENERS] = []));
  server[LISTENERS].push(listener);
}

function tell(server: FastifyInstance, listeners: EndListener[]): void {
  server.addHook('onRequest', (_request, reply, done) => {
    const response = reply.raw as KnownResponse;
    response[STATE] = { reply, startedAtMs: performance.now(), listeners };
    response.on('close', ended);
    done();
  });
}

// One function for all responses, and not a closure for each: this runs for every request.
function ended(this: KnownResponse): void {
  if (!this[STATE]) return;
  const { reply, startedAtMs, listeners } = this[STATE];
  const status = this.headersSent ? this.statusCode : (this[WRITTEN_STATUS] ?? CALLER_GONE);
  const durationMs = performance.now() - startedAtMs;
  for (const listener of listeners) listener(reply.request, status, durationMs);
}

/**
 * To be called for an answer that is written to the socket, past its response.
 * @returns the request that it answers, if it is known
 */
export function noteAnswer(response: KnownResponse, status: number): FastifyRequest | undefined {
  response[WRITTEN_STATUS] = status;
  return response[STATE]?.reply.request;
}
