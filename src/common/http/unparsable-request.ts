import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { ApiError } from '../errors/index.js';
import { normaliseAddress } from './client-address.js';
import { type Connection, connectionOf, targetBegun } from './connection.js';
import { envelopeKindOf, errorBody } from './envelope.js';
import { noteAnswer } from './on-each-end.js';
import { securityHeaders } from './security-headers.js';

const ANSWERS: Record<string, [string, 'headers_too_large' | 'request_timeout' | 'malformed_request']> = {
  HPE_HEADER_OVERFLOW: ['Request Header Fields Too Large', 'headers_too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['Request Timeout', 'request_timeout'],
};

const logger = new Logger('Http');

/** Answers a request that Node's parser refused, or that never arrived in full. Without a request object the answer is written by hand. */
export function answerUnparsable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const connection = connectionOf(socket);
  if (!isAnswerDue(connection)) {
    socket.destroySoon();
    return;
  }
  const [reason, code] = ANSWERS[error.code ?? ''] ?? ['Bad Request', 'malformed_request'];
  const refusal = new ApiError(code);
  // Of a request whose headers were refused there is no object.
  const broken = connection?.last?.req.complete === false ? connection.last : null;
  const request = broken && noteAnswer(broken, refusal.status);
  const requestId = request?.id ?? randomUUID();
  logger.log(
    {
      request_id: requestId,
      status: refusal.status,
      reason: error.code,
      ip: normaliseAddress(socket.remoteAddress ?? ''),
    },
    'unparsable request',
  );
  const target = broken?.req.url ?? targetBegun(connection);
  const body = JSON.stringify(errorBody(envelopeKindOf(target), refusal));
  socket.end(
    [
      `HTTP/1.1 ${refusal.status} ${reason}`,
      `X-Request-Id: ${requestId}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...Object.entries(securityHeaders(target)).map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

/**
 * Whether the client is waiting for an answer to the broken request. While an earlier request is unanswered, the client would
 * take this answer for that one's; if the broken request was answered already, for the next one's.
 */
function isAnswerDue(connection: Connection | undefined): boolean {
  if (!connection?.last) return true;
  const { last, unanswered } = connection;
  return last.req.complete ? last.writableFinished : unanswered.length === 1 && !last.headersSent;
}
