import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { envelopeKindOf, successBody } from './envelope.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The `message` of a route's success; set by `@Operation()`. */
    successMessage?: string;
  }
}

/**
 * Wraps what a controller returns. Routes without a message (pages, raw documents) pass as they are. Here and not in an
 * interceptor: one interceptor alone makes Nest run every request through RxJS, which costs as much as all guards.
 */
export class EnvelopingAdapter extends FastifyAdapter {
  override reply(reply: FastifyReply, body: unknown, status?: number): FastifyReply {
    const message = reply.request?.routeOptions.config.successMessage;
    const answer =
      message === undefined
        ? body
        : successBody(envelopeKindOf(reply.request.url), status ?? reply.statusCode, message, body);
    return super.reply(reply, answer, status);
  }
}
