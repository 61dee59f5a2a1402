import type { FastifyRequest } from 'fastify';

/** Port: lets test runs be counted apart. `dev-tools` provides it; in production nobody does, and no header is read. */
export abstract class LimitNamespaces {
  /** @returns null for a request that is counted with all others */
  abstract of(request: FastifyRequest): string | null;
}
