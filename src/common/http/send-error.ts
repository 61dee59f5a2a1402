import type { FastifyReply } from 'fastify';
import type { ApiError } from '../errors/index.js';
import { renderHtmlPage } from '../pages/index.js';
import { challengeFor } from './authenticate-challenge.js';
import { envelopeKindOf, errorBody } from './envelope.js';

/**
 * Answers with an error: in the envelope of the path, or with a page where the route is for people.
 * @param requestsRemaining what the limit of the route leaves to the caller, where it has one
 */
export function sendError(reply: FastifyReply, error: ApiError, requestsRemaining?: number): void {
  const { request } = reply;
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
  if (error.status === 401) reply.header('www-authenticate', challengeFor(error.code));
  for (const [name, value] of Object.entries(error.headers)) reply.header(name, value);
  reply.status(error.status);
  const { refusalPage } = request.routeOptions.config ?? {};
  if (refusalPage) {
    void reply.send(renderHtmlPage(reply, refusalPage(error)));
    return;
  }
  // The handler may have set another type before it failed.
  reply.type('application/json; charset=utf-8');
  void reply.send(errorBody(envelopeKindOf(request.routeOptions.url ?? request.url), error, requestsRemaining));
}
