import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, throwError } from 'rxjs';
import {
  ApiError,
  ERROR_CATALOGUE,
  ERROR_TRANSLATORS,
  type ErrorCode,
  type ErrorTranslator,
  RefusalListener,
} from '../errors/index.js';
import { currentRequest } from './request-context.js';
import { sendError } from './send-error.js';
import { ServedRoutes } from './served-routes.js';
import { unsupportedMediaType } from './unsupported-media-type.js';

/** What Nest's own exceptions mean here. */
const CODE_OF_STATUS: Record<number, ErrorCode> = {
  400: 'malformed_request',
  401: 'authentication_required',
  403: 'role_required',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'payload_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  422: 'validation_failed',
  429: 'too_many_requests',
  431: 'headers_too_large',
  503: 'service_unavailable',
};

const OUTAGE_LINE_EVERY_MS = 1_000;

/** Writes every error answer. An unknown exception becomes a 500 that reveals nothing, and one line in the log. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');
  private nextOutageLineAtMs = 0;

  constructor(
    private readonly servedRoutes: ServedRoutes,
    @Inject(ERROR_TRANSLATORS) private readonly translators: ErrorTranslator[],
    private readonly refusals: RefusalListener,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void | Observable<never> {
    const type = host.getType();
    // What a filter throws there is heard by nobody: the caller waits in vain, and with gRPC the process ends.
    if (type === 'rpc') return this.toRpcError(exception);
    if (type !== 'http') throw this.logged(exception);
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (isBrokenOff(request)) return;
    const error = this.toApiError(exception, request);
    this.log(error, exception, request.id);
    // `answerInTime` may have answered already.
    if (reply.sent || reply.raw.headersSent) return;

    this.refusals.refused(error, request.routeOptions.url ?? 'none');
    sendError(reply, error, currentRequest()?.requestsRemaining);
  }

  /** For what called a handler of messages: in the form that Nest's own filter gives to errors. */
  private toRpcError(exception: unknown): Observable<never> {
    // Nest's RpcException says itself what the caller is to get.
    const own = (exception as { getError?: () => unknown } | null)?.getError?.();
    if (own !== undefined) return throwError(() => (typeof own === 'object' ? own : { status: 'error', message: own }));
    const { message, extensions } = this.logged(exception);
    return throwError(() => ({ status: 'error', message, ...extensions }));
  }

  /** For what called a resolver of GraphQL, or another handler that is no route: it makes an answer of what is thrown. */
  private logged(exception: unknown): ApiError {
    const error = this.toApiError(exception, null);
    this.log(error, exception, currentRequest()?.requestId);
    return error;
  }

  private log(error: ApiError, exception: unknown, requestId: string | undefined): void {
    if (error.code === 'internal_error') {
      this.logger.error({ err: exception, request_id: requestId }, 'Unexpected error');
    }
    // During an outage all these lines would say the same.
    if (error.code !== 'service_unavailable' || !error.cause || performance.now() < this.nextOutageLineAtMs) return;
    this.nextOutageLineAtMs = performance.now() + OUTAGE_LINE_EVERY_MS;
    const { name, message } = error.cause as Error;
    this.logger.warn({ cause: `${name}: ${message}`, request_id: requestId }, 'Service unavailable');
  }

  private toApiError(exception: unknown, request: FastifyRequest | null): ApiError {
    if (exception instanceof ApiError) return exception;
    if (exception instanceof HttpException) return this.fromHttpException(exception, request);
    if (isRefusalOfFastify(exception)) return fromStatus(exception.statusCode, request, 'malformed_request');
    for (const translate of this.translators) {
      const translated = translate(exception);
      if (translated) return translated;
    }
    return new ApiError('internal_error', { cause: exception });
  }

  /**
   * Nest and Fastify throw these for what they refuse themselves: an unreadable body, an unknown route, a guard that returned
   * false. Their texts are replaced by the catalogue's. A status without an entry there is a handler's mistake, and logged.
   */
  private fromHttpException(exception: HttpException, request: FastifyRequest | null): ApiError {
    const status = exception.getStatus();
    // Of a handler, and not of a client that was slow to send its request.
    if (status === 408) return new ApiError('service_unavailable', { cause: exception });
    if (request && (status === 404 || status === 405)) {
      const allowed = this.servedRoutes.methodsOf(request.url);
      if (status === 405 || (allowed.length > 0 && !allowed.includes(request.method)))
        return new ApiError('method_not_allowed', { headers: { allow: allowed.join(', ') } });
    }
    return fromStatus(status, request, 'internal_error', exception);
  }
}

/**
 * Whether the connection went before all of the request had come: nobody is left to answer, and what fails in reading the rest
 * says nothing of this service. Its code, ECONNRESET, is also that of a lost database.
 */
function isBrokenOff({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

function fromStatus(status: number, request: FastifyRequest | null, otherwise: ErrorCode, cause?: unknown): ApiError {
  if (request && status === 415) return unsupportedMediaType(request);
  return new ApiError(CODE_OF_STATUS[status] ?? firstCodeOf(status) ?? otherwise, { cause });
}

/**
 * For a status that a module has added to the catalogue: the code that had it first, so that adding a second one changes no
 * answers. A 5xx stays an unexpected error, whose cause is logged.
 */
function firstCodeOf(status: number): ErrorCode | undefined {
  if (status >= 500) return undefined;
  return (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).find((code) => ERROR_CATALOGUE[code].status === status);
}

/** A refusal by a Fastify plugin, such as the one for uploads: only Fastify and its plugins have codes that begin with `FST_`. */
function isRefusalOfFastify(exception: unknown): exception is { statusCode: number } {
  const { code, statusCode } = (exception ?? {}) as { code?: unknown; statusCode?: unknown };
  return String(code).startsWith('FST_') && Number(statusCode) >= 400 && Number(statusCode) < 500;
}
