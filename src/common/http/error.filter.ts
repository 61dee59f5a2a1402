import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, ERROR_TRANSLATORS, type ErrorCode, type ErrorTranslator, RefusalListener } from '../errors/index.js';
import { renderPage } from '../pages/index.js';
import { challengeFor } from './authenticate-challenge.js';
import { envelopeKindOf, errorBody } from './envelope.js';
import { currentRequest } from './request-context.js';
import { ServedRoutes } from './served-routes.js';

const CODE_OF_STATUS: Record<number, ErrorCode> = {
  400: 'malformed_request',
  401: 'authentication_required',
  403: 'role_required',
  404: 'not_found',
  408: 'request_timeout',
  413: 'payload_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  431: 'headers_too_large',
  503: 'service_unavailable',
};

/** Writes every error answer. What it does not know becomes a 500 that says nothing, and one line in the log. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  constructor(
    private readonly servedRoutes: ServedRoutes,
    @Inject(ERROR_TRANSLATORS) private readonly translators: ErrorTranslator[],
    private readonly refusals: RefusalListener,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.sent || reply.raw.headersSent) return;

    const error = this.toApiError(exception, request);
    if (error.code === 'internal_error') {
      this.logger.error({ err: exception, request_id: request.id }, 'Unexpected error');
    }
    this.refusals.refused(error, request.routeOptions.url ?? 'none');
    if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
    if (error.status === 401) reply.header('www-authenticate', challengeFor(error.code));
    for (const [name, value] of Object.entries(error.headers)) reply.header(name, value);
    const { refusalPage } = request.routeOptions.config;
    if (refusalPage) {
      void reply.status(error.status).send(renderPage(reply, refusalPage(error)));
      return;
    }
    // A handler that failed may have set another type already.
    void reply
      .status(error.status)
      .type('application/json; charset=utf-8')
      .send(errorBody(envelopeKindOf(request.url), error, currentRequest()?.requestsRemaining));
  }

  private toApiError(exception: unknown, request: FastifyRequest): ApiError {
    if (exception instanceof ApiError) return exception;
    if (exception instanceof HttpException) return this.fromHttpException(exception, request);
    for (const translate of this.translators) {
      const translated = translate(exception);
      if (translated) return translated;
    }
    return new ApiError('internal_error', { cause: exception });
  }

  /**
   * Nest and Fastify throw these for what they refuse by themselves: parsing, routing, a guard that says no. Their texts
   * are not ours. One that stands for none of our errors is a handler's mistake, and told in the log.
   */
  private fromHttpException(exception: HttpException, request: FastifyRequest): ApiError {
    const status = exception.getStatus();
    if (status === 404) {
      const allowed = this.servedRoutes.methodsOf(request.url);
      if (allowed.length > 0 && !allowed.includes(request.method))
        return new ApiError('method_not_allowed', { headers: { allow: allowed.join(', ') } });
    }
    const headers = status === 415 ? { accept: 'application/json', 'accept-encoding': 'identity' } : undefined;
    const code = CODE_OF_STATUS[status] ?? 'internal_error';
    return new ApiError(code, { cause: exception, headers });
  }
}
