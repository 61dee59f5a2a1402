import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { SystemClock } from '../../common/clock/index.js';
import { clientAddress, contextOf } from '../../common/http/index.js';
import { LINES } from './app-logger.js';
import { traceOfLines } from './tracing.js';

/**
 * So many lines are made and written together. Alone, each would find the logger's code gone from the processor's caches: with
 * its write that was a seventh of a request. What a crash takes along is the last of these lines alone.
 */
const GATHERED_LINES = 16;
const WRITTEN_EVERY_MS = 1_000;
/** More than they are long: they go out in one write. */
const BUFFER_BYTES = 16_000;

/** One line per answered request at `info`: the route and not the URL, because URLs may carry what people paste. */
export function logRequests(server: FastifyInstance, level: string): void {
  const output = pino.destination({ minLength: BUFFER_BYTES, sync: true });
  // Without redaction: the fields are those below, and none is a secret.
  const logger = pino({ ...LINES, level, timestamp: false, mixin: undefined }, output);
  const clock = new SystemClock();
  let waiting: { answeredAtMs: number; fields: object }[] = [];
  const write = () => {
    if (waiting.length === 0) return;
    const lines = waiting;
    waiting = [];
    for (const { answeredAtMs, fields } of lines) {
      logger.info({ time: new Date(answeredAtMs).toISOString(), ...fields }, 'request');
    }
    output.flush();
  };
  const timer = setInterval(write, WRITTEN_EVERY_MS).unref();
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer);
    write();
    output.flushSync();
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const fields = {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
      ip: clientAddress(request),
      api_key: contextOf(request)?.apiKeyName,
      ...traceOfLines?.mixin(),
    };
    if (waiting.push({ answeredAtMs: clock.nowMs(), fields }) >= GATHERED_LINES) write();
    done();
  });
}
