import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { envelopeKindOf, successBody } from './envelope.js';

/** Metadata key of the message that a route's success carries; set by `@Answer()`. */
export const SUCCESS_MESSAGE = Symbol('SUCCESS_MESSAGE');

/** Wraps what a controller returns. Routes without `@Answer()` (pages, raw documents) pass as they are. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const message = this.reflector.get<string | undefined>(SUCCESS_MESSAGE, context.getHandler());
    if (message === undefined) return next.handle();
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(map((data) => successBody(envelopeKindOf(request.url), reply.statusCode, message, data)));
  }
}
