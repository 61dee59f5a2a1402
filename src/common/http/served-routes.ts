import { requestPath } from './request-path.js';

interface ServedRoute {
  method: string;
  segments: string[];
}

/**
 * The methods that each path serves, collected by Fastify's `onRoute` hook while the application starts. Fastify reports a
 * wrong method as 404; RFC 9110 section 15.5.6 asks for 405 with `Allow`.
 */
export class ServedRoutes {
  private readonly routes: ServedRoute[] = [];

  add(method: string | string[], url: string): void {
    for (const name of [method].flat()) {
      if (!url.includes('*')) this.routes.push({ method: name, segments: url.split('/') });
    }
  }

  /** @returns the allowed methods of the path, sorted; empty when nothing is served there. */
  methodsOf(url: string): string[] {
    let segments: string[];
    try {
      segments = requestPath(url).split('/').map(decodeURIComponent);
    } catch {
      return [];
    }
    const matches = this.routes.filter(
      (route) =>
        route.segments.length === segments.length &&
        route.segments.every((expected, i) => expected === segments[i] || (expected.startsWith(':') && segments[i])),
    );
    return [...new Set(matches.map((route) => route.method))].sort();
  }
}
