import { StreamableFile } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { type HtmlPage, renderHtmlPage } from '../pages/index.js';
import { envelopeKindOf, successBody } from './envelope.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The `message` of a route's success; set by `@Operation()`. */
    successMessage?: string;
  }
}

/**
 * Wraps what a controller returns. Files, and what routes without a message return (raw documents), pass as they are; routes
 * for people answer with pages. Here and not in an interceptor: one interceptor alone makes Nest run every request through
 * RxJS, which costs as much as all guards.
 */
export class EnvelopingAdapter extends FastifyAdapter {
  override reply(reply: FastifyReply, body: unknown, status?: number): FastifyReply {
    const { successMessage: message, refusalPage } = reply.request?.routeOptions.config ?? {};
    if (refusalPage) return super.reply(reply, renderHtmlPage(reply, body as HtmlPage), status);
    const answer =
      message === undefined || body instanceof StreamableFile
        ? body
        : successBody(envelopeKindOf(reply.request.routeOptions.url ?? ''), status ?? reply.statusCode, message, body);
    return super.reply(reply, answer, status);
  }
}
