import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { BoundedServer } from './bounded-server.js';

/** Who is told to stop by a signal may still stand in a proxy, which learns of it from the answers, or from a refused connection. */
@Injectable()
export class DrainOnSignal implements BeforeApplicationShutdown {
  constructor(private readonly host: HttpAdapterHost) {}

  async beforeApplicationShutdown(signal?: string): Promise<void> {
    const server = this.host.httpAdapter.getHttpServer() as BoundedServer;
    if (signal) await server.drain();
    // Fastify refuses what begins once it is closing. What has arrived in this turn begins at its end.
    await server.allBegun();
    await nextTurn();
  }
}
