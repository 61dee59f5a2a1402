import { RouteConfig } from '@nestjs/platform-fastify';
import type { ApiError } from '../errors/index.js';
import type { Page } from './page.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a person is shown instead of an error envelope; set by `@ServesPages()`. */
    refusalPage?: (error: ApiError) => Page;
  }
}

/** A route for people and not for programs: its handler returns a Page, its refusals are pages, and it takes forms. */
export const ServesPages = (refusalPage: (error: ApiError) => Page): MethodDecorator => RouteConfig({ refusalPage });
