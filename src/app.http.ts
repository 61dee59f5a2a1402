import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, RequestListener } from 'node:http';
import { NotFoundException, type RawBodyRequest } from '@nestjs/common';
import cors from '@fastify/cors';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type {
  FastifyContextConfig,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteOptions,
} from 'fastify';
import { ApiError } from './common/errors/index.js';
import {
  answerInTime,
  answerUnparsable,
  type BoundedServer,
  createBoundedServer,
  EnvelopingAdapter,
  inCohorts,
  keepRequestContext,
  MOST_HEADERS,
  requestIdOf,
  securityHeaders,
  sendError,
  ServedRoutes,
  trustOf,
  unsupportedMediaType,
} from './common/http/index.js';
import type { Config } from './infrastructure/config/index.js';

const BODY_LIMIT_BYTES = 16 * 1024;

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** A media type whose charset, if it names one, is UTF-8. */
const inUtf8 = (type: string) => new RegExp(`^${type}\\s*(?:;\\s*charset\\s*=\\s*"?utf-?8"?\\s*)?;?$`, 'i');
const UTF8_JSON = inUtf8('application/json');
const UTF8_FORM = inUtf8(FORM_TYPE);

/** The last two are of W3C Trace Context, which the tracing of a front end adds to each request. */
const ALLOWED_HEADERS = ['authorization', 'content-type', 'x-api-key', 'x-request-id', 'traceparent', 'tracestate'];
const EXPOSED_HEADERS = ['date', 'x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy', 'www-authenticate'];

const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i;

/**
 * Targets that name a path (RFC 9112 section 3.2). Others, such as the `*` of `OPTIONS *`, become paths that nothing is served at:
 * Nest would answer them before any hook of this service.
 */
const NAMES_PATH = /^(?:\/|https?:\/\/)/i;

/** Creates Fastify with this service's limits, which must be set before Nest adds routes. */
export function createHttpAdapter(config: Config, servedRoutes: ServedRoutes): FastifyAdapter {
  const adapter = new EnvelopingAdapter({
    trustProxy: config.http.trustedProxies.length > 0 ? trustOf(config.http.trustedProxies) : false,
    bodyLimit: BODY_LIMIT_BYTES,
    serverFactory: ((handle: RequestListener) =>
      createBoundedServer(inCohorts(handle), config.http.requestTimeoutMs)) as never,
    rewriteUrl: ({ url = '' }) => (NAMES_PATH.test(url) ? url : `/${url}`),
    genReqId: (request: IncomingMessage) => requestIdOf(request),
    frameworkErrors: answerUnroutable(config) as never,
    clientErrorHandler: answerUnparsable as never,
    forceCloseConnections: 'idle',
  });
  const server = adapter.getInstance();
  server.addHook('onRoute', (route) => {
    servedRoutes.add(route.method, route.url);
    if (route.config?.bodyLimit) route.bodyLimit = route.config.bodyLimit;
    refuseFilesAsNotFound(route);
  });
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(securityHeaders(request.url));
    done();
  });
  keepRequestContext(server);
  answerInTime(server);
  server.addHook('preClose', (done) => {
    (server.server as BoundedServer).letGo();
    done();
  });
  return adapter;
}

/**
 * Adds what applies to every route: CORS, headers, and refusals before any handler.
 * @param furtherHeaders headers that a browser may send in addition to those of the contract
 */
export async function registerHttpRules(
  app: NestFastifyApplication,
  config: Config,
  furtherHeaders: string[],
): Promise<void> {
  const server = app.getHttpAdapter().getInstance();
  // Any origin can send forms and plain text without a preflight (ASVS 5.0 3.5.2): so only JSON is parsed, except on pages,
  // whose forms contain a token that no other origin knows.
  server.removeContentTypeParser('text/plain');
  acceptJson(server);
  acceptForms(server);
  // In this hook and not earlier, so that refusals have the headers that the plugins below set in `onRequest`.
  server.addHook('preParsing', (request, _reply, _payload, done) => {
    if (!hasContent(request.raw)) delete request.raw.headers['content-type'];
    done(refusalOf(request));
  });
  // Nest's own enableCors() would copy the headers of every answer once more.
  await app.register(cors as never, {
    origin: [...config.http.corsOrigins],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [...ALLOWED_HEADERS, ...furtherHeaders],
    exposedHeaders: EXPOSED_HEADERS,
    // Two hours, the longest that browsers keep.
    maxAge: 7_200,
    strictPreflight: false,
  });
}

/** Fastify's own parser behind a check for valid UTF-8: it would decode different invalid bytes to the same character. */
function acceptJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  // For signatures, which cover the bytes as they were sent; typed as Nest's RawBodyRequest.
  server.decorateRequest('rawBody', undefined);
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    (request as RawBodyRequest<FastifyRequest>).rawBody = body;
    if (isUtf8(body)) void parse(request, body.toString('utf8'), done);
    else done(new ApiError('malformed_request'));
  });
}

/** Parses forms; {@link refusalOf} admits them only on pages, and on routes that declare them. */
function acceptForms(server: FastifyInstance): void {
  server.addContentTypeParser(FORM_TYPE, { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    (request as RawBodyRequest<FastifyRequest>).rawBody = body;
    const fields = [...new URLSearchParams(body.toString('utf8'))];
    const isSound = isUtf8(body) && new Set(fields.map(([name]) => name)).size === fields.length;
    if (isSound) done(null, Object.fromEntries(fields));
    else done(new ApiError('malformed_request'));
  });
}

/**
 * The Swagger UI's file server refuses paths outside its folder, ranges and conditions with statuses that the closed list of errors
 * does not have: they become 404. Its routes are the only ones with an error handler.
 */
function refuseFilesAsNotFound(route: RouteOptions): void {
  const { errorHandler } = route;
  if (!errorHandler) return;
  route.errorHandler = function (error: FastifyError, request, reply) {
    if (error.statusCode !== undefined && error.statusCode < 500) sendError(reply, new ApiError('not_found'));
    else errorHandler.call(this, error, request, reply);
  };
}

/**
 * Whether a request has content (RFC 9112 section 6.3). Some clients send a content type with an empty body (axios on Node: that of
 * a form), although it describes nothing (RFC 9110 section 8.3); Fastify would look for a parser, or refuse an empty text as JSON.
 */
function hasContent({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Refusals that Fastify does not make by itself, or would make later. */
function refusalOf(request: FastifyRequest): Error | null {
  const { headers, rawHeaders } = request.raw;
  if (rawHeaders.length > 2 * MOST_HEADERS) return new ApiError('headers_too_large');
  if (!hasSoundHost(request.raw)) return new ApiError('malformed_request');
  // At once: what is wrong with a body does not matter where no operation takes it.
  if (request.is404) return new NotFoundException();
  // Their bodies are never read.
  if (request.method === 'GET' || request.method === 'HEAD') return null;
  const isCoded = headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity';
  const type = headers['content-type'];
  if (!isCoded && (type === undefined || isAcceptedType(type.trim(), request.routeOptions.config))) return null;
  return unsupportedMediaType(request);
}

function isAcceptedType(type: string, { refusalPage, consumes }: FastifyContextConfig): boolean {
  // Parameters (`boundary`, `charset`) are left to the route's parser.
  if (consumes) return type.split(';')[0]?.trimEnd().toLowerCase() === consumes;
  return UTF8_JSON.test(type) || (refusalPage !== undefined && UTF8_FORM.test(type));
}

/** RFC 9112 section 3.2: a request without Host, with several, or with an invalid one is a 400. */
function hasSoundHost({ headers: { host }, rawHeaders, httpVersion }: IncomingMessage): boolean {
  if (host === undefined) return httpVersion === '1.0';
  return HOST.test(host) && rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length === 1;
}

/**
 * Answers a path that cannot be decoded, or is too long. Neither Nest's filters nor Fastify's hooks run for it. CORS headers are
 * set here, since without them a page would see a network error and no answer.
 */
function answerUnroutable({ http: { corsOrigins } }: Config) {
  return (error: { statusCode?: number }, request: FastifyRequest, reply: FastifyReply): void => {
    const { origin } = request.headers;
    reply.headers({ 'x-request-id': request.id, vary: 'Origin', ...securityHeaders(request.url) });
    if (origin && corsOrigins.includes(origin)) {
      reply.headers({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': EXPOSED_HEADERS.join(', '),
      });
    }
    sendError(reply, new ApiError(error.statusCode === 414 ? 'uri_too_long' : 'malformed_request'));
  };
}
