import type { FastifyInstance } from 'fastify';

/** What is used of a span of OpenTelemetry. */
interface Span {
  spanContext(): { traceId: string; spanId: string };
  setAttribute(name: string, value: string): void;
  updateName(name: string): void;
}

interface OpenTelemetry {
  context?: { active(): { getValue(key: symbol): unknown } };
}

// Under these two names every copy of OpenTelemetry's API 1.x finds the others. So the service takes part in traces where
// its SDK was put in front (docs/operations/tracing.md), and has no package of it.
const api = (globalThis as Record<symbol, unknown>)[Symbol.for('opentelemetry.js.api.1')] as OpenTelemetry | undefined;
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN');

function currentSpan(): Span | undefined {
  return api?.context?.active().getValue(SPAN) as Span | undefined;
}

/** Names the spans of requests by their routes, and takes the queries out: they have links' tokens and what people search. */
export function nameSpans(server: FastifyInstance): void {
  if (!api) return;
  // Not in the hook, which a request with a broken URL never reaches.
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

/** For a logger: which trace each line belongs to. Nothing without OpenTelemetry. */
export const traceOfLines = api && {
  mixin: () => {
    const { traceId, spanId } = currentSpan()?.spanContext() ?? {};
    return { trace_id: traceId, span_id: spanId };
  },
};
