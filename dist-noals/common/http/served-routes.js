/**
 * Which methods a path answers to. Fastify reports a wrong method as 404; RFC 9110 section 15.5.6 wants 405 with
 * `Allow`. Filled by Fastify's `onRoute` hook while the application starts.
 */
export class ServedRoutes {
    routes = [];
    add(method, url) {
        for (const name of [method].flat()) {
            if (!url.includes('*'))
                this.routes.push({ method: name, segments: url.split('/') });
        }
    }
    /** @returns the allowed methods of the path, sorted; empty when nothing is served there. */
    methodsOf(url) {
        const path = url.split(/[?#]/, 1)[0] ?? '';
        let segments;
        try {
            segments = path.split('/').map(decodeURIComponent);
        }
        catch {
            return [];
        }
        const matches = this.routes.filter((route) => route.segments.length === segments.length &&
            route.segments.every((expected, i) => expected === segments[i] || (expected.startsWith(':') && segments[i])));
        return [...new Set(matches.map((route) => route.method))].sort();
    }
}
//# sourceMappingURL=served-routes.js.map