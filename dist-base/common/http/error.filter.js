var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
var __param = (this && this.__param) || function (paramIndex, decorator) {
    return function (target, key) { decorator(target, key, paramIndex); }
};
import { Catch, HttpException, Inject, Logger } from '@nestjs/common';
import { ApiError, ERROR_TRANSLATORS, RefusalListener } from '../errors/index.js';
import { challengeFor } from './authenticate-challenge.js';
import { envelopeKindOf, errorBody } from './envelope.js';
import { ServedRoutes } from './served-routes.js';
const CODE_OF_STATUS = {
    400: 'malformed_request',
    404: 'not_found',
    408: 'request_timeout',
    413: 'payload_too_large',
    414: 'uri_too_long',
    415: 'unsupported_media_type',
    431: 'headers_too_large',
    503: 'service_unavailable',
};
/** Writes every error answer. What it does not know becomes a 500 that says nothing, and one line in the log. */
let ErrorFilter = class ErrorFilter {
    servedRoutes;
    translators;
    refusals;
    logger = new Logger('Errors');
    constructor(servedRoutes, translators, refusals) {
        this.servedRoutes = servedRoutes;
        this.translators = translators;
        this.refusals = refusals;
    }
    catch(exception, host) {
        const request = host.switchToHttp().getRequest();
        const reply = host.switchToHttp().getResponse();
        if (reply.sent || reply.raw.headersSent)
            return;
        const error = this.toApiError(exception, request);
        if (error.code === 'internal_error') {
            this.logger.error({ err: exception, request_id: request.id }, 'Unexpected error');
        }
        this.refusals.refused(error, request.routeOptions.url ?? 'none');
        if (error.retryAfterSeconds !== undefined)
            reply.header('retry-after', String(error.retryAfterSeconds));
        if (error.status === 401)
            reply.header('www-authenticate', challengeFor(error.code));
        for (const [name, value] of Object.entries(error.headers))
            reply.header(name, value);
        // A handler that failed may have set another type already.
        void reply
            .status(error.status)
            .type('application/json; charset=utf-8')
            .send(errorBody(envelopeKindOf(request.url), error));
    }
    toApiError(exception, request) {
        if (exception instanceof ApiError)
            return exception;
        if (exception instanceof HttpException)
            return this.fromHttpException(exception, request);
        for (const translate of this.translators) {
            const translated = translate(exception);
            if (translated)
                return translated;
        }
        return new ApiError('internal_error', { cause: exception });
    }
    /** Nest and Fastify throw these for what they refuse by themselves: parsing, routing. Their texts are not ours. */
    fromHttpException(exception, request) {
        const status = exception.getStatus();
        if (status === 404) {
            const allowed = this.servedRoutes.methodsOf(request.url);
            if (allowed.length > 0 && !allowed.includes(request.method))
                return new ApiError('method_not_allowed', { headers: { allow: allowed.join(', ') } });
        }
        const headers = status === 415 ? { accept: 'application/json', 'accept-encoding': 'identity' } : undefined;
        const code = CODE_OF_STATUS[status] ?? (status < 500 ? 'malformed_request' : 'internal_error');
        return new ApiError(code, { cause: exception, headers });
    }
};
ErrorFilter = __decorate([
    Catch(),
    __param(1, Inject(ERROR_TRANSLATORS)),
    __metadata("design:paramtypes", [ServedRoutes, Array, RefusalListener])
], ErrorFilter);
export { ErrorFilter };
//# sourceMappingURL=error.filter.js.map