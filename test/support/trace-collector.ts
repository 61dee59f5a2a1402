import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  events: unknown[];
  status: { message?: string };
  /** What made it, e.g. `@opentelemetry/instrumentation-http`. */
  scope: string;
}

interface Export {
  resourceSpans: { scopeSpans: { scope: { name: string }; spans: Span[] }[] }[];
}

/** Takes what OpenTelemetry's exporters send: OTLP over HTTP, as JSON. */
export class TraceCollector {
  readonly spans: Span[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', async (request, response) => {
      const { resourceSpans } = (await json(request)) as Export;
      for (const { scope, spans } of resourceSpans.flatMap(({ scopeSpans }) => scopeSpans)) {
        this.spans.push(...spans.map((span) => ({ ...span, scope: scope.name })));
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
  }

  static async start(): Promise<TraceCollector> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TraceCollector(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
