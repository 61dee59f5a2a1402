import { StreamableFile } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { type HtmlPage, renderHtmlPage } from '../pages/index.js';
import { envelopeKindOf, successBody } from './envelope.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The `message` of a route's success; set by `@Operation()`. */
    successMessage?: string;
    /** Media type of its success, if that is no JSON. */
    produces?: string;
  }
}

/**
 * Wraps what a controller returns. Files, and what routes without a message return (raw documents), pass as they are; routes
 * for people answer with pages. Here and not in an interceptor: one interceptor alone makes Nest run every request through
 * RxJS, which costs as much as all guards.
 */
export class EnvelopingAdapter extends FastifyAdapter {
  // Libraries look at the adapter's name: nestjs-cls, and Nest's own for static files, would take it for that of Express.
  static {
    Object.defineProperty(this, 'name', { value: FastifyAdapter.name });
  }

  override reply(reply: FastifyReply, body: unknown, status?: number): FastifyReply {
    const { successMessage: message, refusalPage, produces } = reply.request?.routeOptions.config ?? {};
    const answered = status ?? reply.statusCode;
    if (refusalPage && isPage(body)) return super.reply(reply, renderHtmlPage(reply, body), status);
    // RFC 9110 section 8.6: the length of an envelope would be taken for that of what the client has already.
    // Of a file, Fastify closes the stream.
    if (answered === 304) return super.reply(reply, body instanceof StreamableFile ? body : undefined, status);
    // Made whole by a filter of a module's own, or by a handler that sets such a status.
    if (answered >= 400) return super.reply(reply, body, status);
    if (produces && isText(body)) return super.reply(typedAs(produces, reply), body, status);
    const answer =
      message === undefined || body instanceof StreamableFile
        ? body
        : successBody(envelopeKindOf(reply.request.routeOptions.url ?? ''), answered, message, body);
    return super.reply(reply, answer, status);
  }
}

function isPage(body: unknown): body is HtmlPage {
  return typeof body === 'object' && body !== null && 'title' in body && 'body' in body;
}

function isText(body: unknown): boolean {
  return typeof body === 'string' || body instanceof Uint8Array;
}

/** Unless the handler has said more, such as a file name or a charset. */
function typedAs(mediaType: string, reply: FastifyReply): FastifyReply {
  if (reply.hasHeader('content-type')) return reply;
  return reply.type(mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType);
}
