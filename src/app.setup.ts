import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { AppModule } from './app.module.js';
import { SystemClock } from './common/clock/index.js';
import { onEachEnd, ServedRoutes } from './common/http/index.js';
import { createOpenApiDocument, prepareSwaggerUi, SWAGGER_UI, toOpenApi30 } from './common/openapi/index.js';
import type { Runtime } from './infrastructure/index.js';
import {
  AppLogger,
  ForwardingCheck,
  logRequests,
  measureRequests,
  Metrics,
  nameSpans,
} from './infrastructure/observability/index.js';
import type { MovableClock } from './dev-tools/index.js';
import { createHttpAdapter, registerHttpRules } from './app.http.js';

export interface AppOptions extends Pick<Runtime, 'config'> {
  /** A clock that a test moves; by default the application creates its own. */
  clock?: MovableClock;
  /** Further Nest modules of a team that extends the service. */
  extensions?: (Type | DynamicModule)[];
}

/** The only way to create the application, for main, tests and tools. It does not listen yet. */
export async function createApp({ config, clock, extensions = [] }: AppOptions): Promise<NestFastifyApplication> {
  const logger = new AppLogger(config.logLevel);
  const servedRoutes = new ServedRoutes();
  const adapter = createHttpAdapter(config, servedRoutes);
  // Imported here and not above: in production the development tools are not even loaded.
  const devTools = config.isProduction ? null : await import('./dev-tools/index.js');
  const runtime = { config, clock: clock ?? (devTools ? new devTools.MovableClock() : new SystemClock()) };
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(runtime, servedRoutes, [...(devTools ? [devTools.DevToolsModule] : []), ...extensions]),
    adapter,
    { logger, bodyParser: false, abortOnError: false },
  );
  const server = adapter.getInstance();
  nameSpans(server);
  await registerHttpRules(app, config, devTools ? [devTools.LIMIT_NAMESPACE_HEADER] : []);
  if (logger.isLevelEnabled('info')) onEachEnd(server, logRequests(server));
  onEachEnd(server, measureRequests(app.get(Metrics, { strict: false })));
  app.get(ForwardingCheck, { strict: false }).watch(server);
  let document: OpenAPIObject | undefined;
  const openApi = () => (document ??= createOpenApiDocument(app));
  serveDocument(app, '/openapi.json', openApi);
  serveDocument(app, '/openapi-3.0.json', () => toOpenApi30(openApi()));
  prepareSwaggerUi(server);
  SwaggerModule.setup('docs', app, openApi, SWAGGER_UI);
  return app;
}

/** One buffer for all answers, since the document is large and anybody may request it at any rate. */
function serveDocument(app: NestFastifyApplication, path: string, create: () => object): void {
  let document: Buffer | undefined;
  app
    .getHttpAdapter()
    .getInstance()
    .get(path, (_request, reply) => {
      document ??= Buffer.from(JSON.stringify(create()));
      return reply.type('application/json; charset=utf-8').send(document);
    });
}
