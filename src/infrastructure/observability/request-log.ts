import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { SystemClock } from '../../common/clock/index.js';
import { clientAddress, contextOf, type EndListener } from '../../common/http/index.js';
import { LINES } from './app-logger.js';
import { standardOutput, WHOLE_BYTES } from './standard-output.js';
import { traceOfLines } from './tracing.js';

/**
 * Lines are formatted and written in groups of this size. One by one, each would find the logger's code evicted from the
 * processor's caches: with its write that took a seventh of a request. A crash loses the last group at most.
 */
const GATHERED_LINES = 16;
const WRITTEN_EVERY_MS = 1_000;

/** One line per request at `info`. It has the route and not the URL, which may contain secrets that people paste. */
export function logRequests(server: FastifyInstance): EndListener {
  const output = standardOutput();
  let text = '';
  const gather = (line: string) => {
    if (text.length + line.length > WHOLE_BYTES) {
      output.write(text);
      text = '';
    }
    text += line;
  };
  // Without redaction: it logs exactly the fields below, and none of them is a secret.
  const logger = pino({ ...LINES, timestamp: false, mixin: undefined }, { write: gather });
  const clock = new SystemClock();
  let waiting: { answeredAtMs: number; fields: object }[] = [];
  const write = () => {
    if (waiting.length === 0) return;
    const lines = waiting;
    waiting = [];
    for (const { answeredAtMs, fields } of lines) {
      logger.info({ time: new Date(answeredAtMs).toISOString(), ...fields }, 'request');
    }
    output.write(text);
    text = '';
  };
  const timer = setInterval(write, WRITTEN_EVERY_MS).unref();
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer);
    write();
    done();
  });
  return (request, status, durationMs) => {
    const fields = {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status,
      duration_ms: Math.round(durationMs * 10) / 10,
      ip: clientAddress(request),
      api_key: contextOf(request)?.apiKeyName,
      ...traceOfLines?.mixin(),
    };
    if (waiting.push({ answeredAtMs: clock.nowMs(), fields }) >= GATHERED_LINES) write();
  };
}
