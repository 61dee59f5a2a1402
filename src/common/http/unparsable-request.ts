import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { ApiError } from '../errors/index.js';
import { normaliseAddress } from './client-address.js';
import { errorBody } from './envelope.js';

const ANSWERS: Record<string, [string, 'headers_too_large' | 'request_timeout' | 'malformed_request']> = {
  HPE_HEADER_OVERFLOW: ['Request Header Fields Too Large', 'headers_too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['Request Timeout', 'request_timeout'],
};

const logger = new Logger('Http');
const lastResponses = new WeakMap<Socket, ServerResponse>();

/** To be told of each request that could be parsed, so that its answer is not mixed up with one for what follows it. */
export function rememberResponse(socket: Socket, response: ServerResponse): void {
  lastResponses.set(socket, response);
}

/** @returns the answer to the newest request on the connection, if there was one; it may be sent already */
export function lastResponseOn(socket: Socket): ServerResponse | undefined {
  return lastResponses.get(socket);
}

/** Answers what Node's parser refused, or what never arrived in full; there is no request object, so it is written by hand. */
export function answerUnparsable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (!isAnswerDue(lastResponses.get(socket))) {
    socket.destroySoon();
    return;
  }
  const [reason, code] = ANSWERS[error.code ?? ''] ?? ['Bad Request', 'malformed_request'];
  const refusal = new ApiError(code);
  const requestId = randomUUID();
  logger.log(
    {
      request_id: requestId,
      status: refusal.status,
      reason: error.code,
      ip: normaliseAddress(socket.remoteAddress ?? ''),
    },
    'unparsable request',
  );
  const body = JSON.stringify(errorBody('resource', refusal));
  socket.end(
    [
      `HTTP/1.1 ${refusal.status} ${reason}`,
      `X-Request-Id: ${requestId}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

/**
 * Whether the connection waits for an answer to what could not be parsed. Where an earlier request has not got its own yet,
 * the client would take this one for it; where the broken one has been answered already, for that of the next.
 */
function isAnswerDue(last: ServerResponse | undefined): boolean {
  if (!last) return true;
  return last.req.complete ? last.writableFinished : !last.headersSent;
}
