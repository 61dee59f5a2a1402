import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { BoundedServer } from './bounded-server.js';

/**
 * A service that is stopped by a signal may still be listed in a load balancer: it goes on answering for a moment, and its
 * answers (`Connection: close`) or a refused connection tell the balancer.
 */
@Injectable()
export class DrainOnSignal implements BeforeApplicationShutdown {
  constructor(private readonly host: HttpAdapterHost) {}

  async beforeApplicationShutdown(signal?: string): Promise<void> {
    const server = this.host.httpAdapter?.getHttpServer() as BoundedServer | undefined;
    // A test or a console of Nest's own has another server, or none.
    if (!server?.allBegun) return;
    if (signal) await server.drain();
    // Fastify refuses requests that begin once it is closing. Those that arrived in this turn begin at its end (`inCohorts`).
    await server.allBegun();
    await nextTurn();
  }
}
