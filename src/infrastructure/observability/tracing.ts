import type { FastifyInstance } from 'fastify';

/** The part of OpenTelemetry's Span that is used here. */
interface Span {
  spanContext(): { traceId: string; spanId: string };
  setAttribute(name: string, value: string): void;
  updateName(name: string): void;
}

interface OpenTelemetry {
  context?: { active(): { getValue(key: symbol): unknown } };
}

// All copies of OpenTelemetry's API 1.x share their state under these two names. So the service takes part in traces if the SDK
// was loaded before it (docs/operations/tracing.md), without depending on its packages.
const api = (globalThis as Record<symbol, unknown>)[Symbol.for('opentelemetry.js.api.1')] as OpenTelemetry | undefined;
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN');

function currentSpan(): Span | undefined {
  return api?.context?.active().getValue(SPAN) as Span | undefined;
}

/** Names request spans by their routes, and removes queries, which contain the tokens of links and what people search for. */
export function nameSpans(server: FastifyInstance): void {
  if (!api) return;
  // Done here and not in a hook, which a request with a malformed URL never reaches.
  server.server.on('request', ({ url }) => {
    if (url?.includes('?')) currentSpan()?.setAttribute('url.query', 'REDACTED');
  });
  server.addHook('onRequest', (request, _reply, done) => {
    const span = currentSpan();
    const route = request.routeOptions.url;
    if (span && route) {
      span.updateName(`${request.method} ${route}`);
      span.setAttribute('http.route', route);
    }
    done();
  });
}

/** A logger mixin that adds the trace of each line; empty without OpenTelemetry. */
export const traceOfLines = api && {
  mixin: () => {
    const { traceId, spanId } = currentSpan()?.spanContext() ?? {};
    return { trace_id: traceId, span_id: spanId };
  },
};
