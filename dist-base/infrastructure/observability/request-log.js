import { clientAddress } from '../../common/http/index.js';
/** One line per answered request at `info`: the route and not the URL, because URLs may carry what people paste. */
export function logRequests(server, logger) {
    if (!logger.isLevelEnabled('info'))
        return;
    server.addHook('onResponse', (request, reply, done) => {
        logger.info({
            request_id: request.id,
            method: request.method,
            route: request.routeOptions.url ?? 'none',
            status: reply.statusCode,
            duration_ms: Math.round(reply.elapsedTime * 10) / 10,
            ip: clientAddress(request),
        }, 'request');
        done();
    });
}
//# sourceMappingURL=request-log.js.map