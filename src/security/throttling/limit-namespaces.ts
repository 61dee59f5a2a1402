import type { FastifyRequest } from 'fastify';

/** Port: counts the requests of each test run separately. `dev-tools` provides it; in production nothing does. */
export abstract class LimitNamespaces {
  /** @returns null for a request that is not of a test run */
  abstract of(request: FastifyRequest): string | null;
}
