import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { clientAddress, currentRequest } from '../../common/http/index.js';
import { LINES } from './app-logger.js';

/** A write for each line would cost as much as the request. What a crash takes along is the last of these lines alone. */
const GATHERED_BYTES = 4_096;
const WRITTEN_EVERY_MS = 1_000;

/** One line per answered request at `info`: the route and not the URL, because URLs may carry what people paste. */
export function logRequests(server: FastifyInstance, level: string): void {
  const lines = pino.destination({ minLength: GATHERED_BYTES, periodicFlush: WRITTEN_EVERY_MS, sync: true });
  // Without redaction: the fields are those below, and none is a secret.
  const logger = pino({ ...LINES, level }, lines);
  server.addHook('onClose', (_server, done) => {
    lines.flushSync();
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    logger.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime * 10) / 10,
        ip: clientAddress(request),
        api_key: currentRequest()?.apiKeyName,
      },
      'request',
    );
    done();
  });
}
