import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { MovableClock } from './movable-clock.js';

/** Dates answers by the service's clock once it was moved: Node would go on with the real time. */
@Injectable()
export class DateHeader implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
    private readonly clock: MovableClock,
  ) {}

  onModuleInit(): void {
    this.adapterHost.httpAdapter.getInstance().addHook('onRequest', (_request, reply, done) => {
      if (this.clock.offsetMs) reply.header('date', this.clock.now().toUTCString());
      done();
    });
  }
}
