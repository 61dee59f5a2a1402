import { RouteConfig } from '@nestjs/platform-fastify';
import type { ApiError } from '../errors/index.js';
import type { HtmlPage } from './page.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a person is shown instead of an error envelope; set by `@ServesPages()`. */
    refusalPage?: (error: ApiError) => HtmlPage;
  }
}

/** A route for people and not for programs: its handler returns a HtmlPage, its refusals are pages, and it takes forms. */
export const ServesPages = (refusalPage: (error: ApiError) => HtmlPage): MethodDecorator =>
  RouteConfig({ refusalPage });
