import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '../config/index.js';
import { DatabaseModule } from '../database/index.js';
import { RedisModule } from '../redis/index.js';
import { ForwardingCheck } from './forwarding-check.js';
import { HealthController } from './health.controller.js';
import { DependencyMetrics, MetricsController, MetricsModule, ProcessMetrics } from './metrics/index.js';
import { Readiness } from './readiness.js';

/** Owns what an operator sees: `/health` and `/metrics`. (The logger is created before any module.) Exports the application's Metrics. */
@Module({})
export class ObservabilityModule {
  static forRoot({ hasMetrics }: Config): DynamicModule {
    return {
      module: ObservabilityModule,
      imports: [DatabaseModule, RedisModule, MetricsModule],
      controllers: [HealthController, ...(hasMetrics ? [MetricsController] : [])],
      providers: [Readiness, ForwardingCheck, ProcessMetrics, DependencyMetrics],
      exports: [ForwardingCheck, MetricsModule],
    };
  }
}
