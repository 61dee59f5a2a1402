import { isUtf8 } from 'node:buffer';
import helmet from '@fastify/helmet';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiError } from './common/errors/index.js';
import { createBoundedServer, envelopeKindOf, errorBody, keepRequestContext, requestIdOf, } from './common/http/index.js';
const BODY_LIMIT_BYTES = 16 * 1024;
const ANSWER_WITHIN_MS = 4_500;
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i;
/** Pages of our own that a browser shows; everything else is data, and nothing may be loaded from it. */
const PAGES = /^\/(?:docs|dev)(?:[/?#]|$)/;
const PAGE_POLICY = "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/** Fastify with the limits of this service, set before Nest adds a route. */
export function createHttpAdapter(config, servedRoutes) {
    const adapter = new FastifyAdapter({
        trustProxy: config.http.trustedProxies.length > 0 ? [...config.http.trustedProxies] : false,
        bodyLimit: BODY_LIMIT_BYTES,
        serverFactory: createBoundedServer,
        genReqId: (request) => requestIdOf(request),
        frameworkErrors: answerUnroutable,
        clientErrorHandler: answerUnparsable,
        forceCloseConnections: 'idle',
    });
    const server = adapter.getInstance();
    server.addHook('onRoute', ({ method, url }) => servedRoutes.add(method, url));
    server.addHook('onRequest', (request, reply, done) => {
        reply.header('x-request-id', request.id).header('cache-control', 'no-store');
        done();
    });
    answerInTime(server);
    closeConnectionsWhenStopping(server);
    return adapter;
}
/**
 * Whatever hangs behind the service, its caller is told within five seconds. The work goes on until its own limits end
 * it; all of it is atomic, so that the caller may simply try again.
 */
function answerInTime(server) {
    server.addHook('preValidation', (request, reply, done) => {
        const timer = setTimeout(() => {
            if (reply.sent || reply.raw.headersSent)
                return;
            const error = new ApiError('service_unavailable');
            void reply
                .status(error.status)
                .header('retry-after', '5')
                .type('application/json; charset=utf-8')
                .send(errorBody(envelopeKindOf(request.url), error));
        }, ANSWER_WITHIN_MS);
        reply.raw.once('close', () => clearTimeout(timer));
        done();
    });
}
/**
 * When the service is told to stop, connections without a request are cut, and the others after their answer. Node waits
 * for all, and does not count one that never carried a request among the idle.
 */
function closeConnectionsWhenStopping(server) {
    const requestsOf = new Map();
    let isStopping = false;
    const change = (socket, by) => {
        const requests = (requestsOf.get(socket) ?? 0) + by;
        requestsOf.set(socket, requests);
        if (isStopping && requests === 0)
            socket.destroySoon();
    };
    server.server.on('connection', (socket) => {
        requestsOf.set(socket, 0);
        socket.once('close', () => requestsOf.delete(socket));
    });
    server.server.on('request', ({ socket }, response) => {
        change(socket, 1);
        response.once('close', () => change(socket, -1));
    });
    server.addHook('preClose', (done) => {
        isStopping = true;
        for (const [socket, requests] of requestsOf)
            if (requests === 0)
                socket.destroySoon();
        done();
    });
}
/** Headers, CORS and refusals that stand before every route. */
export async function registerHttpRules(app, config) {
    const server = app.getHttpAdapter().getInstance();
    // Form bodies and plain text can be sent across origins without a preflight (ASVS 5.0 3.5.2): JSON alone is parsed.
    server.removeContentTypeParser('text/plain');
    acceptJson(server);
    // Not earlier: the refusal is to bear the headers that the plugins below set when a request begins.
    server.addHook('preParsing', (request, _reply, _payload, done) => done(refusalOf(request)));
    server.addHook('onSend', (request, reply, payload, done) => {
        if (PAGES.test(request.url))
            reply.header('content-security-policy', PAGE_POLICY);
        done(null, payload);
    });
    await app.register(helmet, {
        contentSecurityPolicy: {
            useDefaults: false,
            directives: { 'default-src': ["'none'"], 'base-uri': ["'none'"], 'frame-ancestors': ["'none'"] },
        },
        hsts: { maxAge: 31_536_000, includeSubDomains: true },
        referrerPolicy: { policy: 'no-referrer' },
        crossOriginResourcePolicy: { policy: 'same-origin' },
    });
    app.enableCors({
        origin: [...config.http.corsOrigins],
        methods: ['GET', 'POST', 'PATCH', 'DELETE'],
        allowedHeaders: ['authorization', 'content-type', 'x-api-key', 'x-request-id'],
        exposedHeaders: ['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy', 'www-authenticate'],
        maxAge: 600,
        strictPreflight: false,
    });
}
/** Fastify's own parser, on text that is known to be text: it would read two different invalid bytes as the same letter. */
function acceptJson(server) {
    const parse = server.getDefaultJsonParser('error', 'error');
    server.removeContentTypeParser('application/json');
    server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
        if (isUtf8(body))
            void parse(request, body.toString('utf8'), done);
        else
            done(new ApiError('malformed_request'));
    });
}
/** What Fastify would let pass. */
function refusalOf(request) {
    const { headers, rawHeaders } = request.raw;
    // RFC 9112 section 3.2: several Host lines are a 400.
    if (rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length > 1) {
        return new ApiError('malformed_request');
    }
    const isCoded = headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity';
    const type = headers['content-type'];
    if (isCoded || (type !== undefined && !JSON_TYPE.test(type.trim()))) {
        return new ApiError('unsupported_media_type', {
            headers: { accept: 'application/json', 'accept-encoding': 'identity' },
        });
    }
    return null;
}
/** Answers a path that cannot be decoded. No route and so no filter of Nest's is involved, nor any hook. */
function answerUnroutable(error, request, reply) {
    const refusal = new ApiError(error.statusCode === 414 ? 'uri_too_long' : 'malformed_request');
    void reply
        .headers({ 'x-request-id': request.id, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
        .status(refusal.status)
        .send(errorBody(envelopeKindOf(request.url), refusal));
}
const STATUS_OF_PARSER_ERROR = {
    HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'headers_too_large'],
    ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'request_timeout'],
};
/** Answers what Node's parser refused; there is no request object, so the answer is written by hand. */
function answerUnparsable(error, socket) {
    if (error.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy();
        return;
    }
    const [status, reason, code] = STATUS_OF_PARSER_ERROR[error.code ?? ''] ?? [400, 'Bad Request', 'malformed_request'];
    const body = JSON.stringify(errorBody('resource', new ApiError(code)));
    socket.end([
        `HTTP/1.1 ${status} ${reason}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Cache-Control: no-store',
        'X-Content-Type-Options: nosniff',
        'Connection: close',
        '',
        body,
    ].join('\r\n'));
}
//# sourceMappingURL=app.http.js.map