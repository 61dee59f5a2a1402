import { Module } from '@nestjs/common';
import { Metrics } from './metrics.js';

/** Owns the metrics of the application. Exports {@link Metrics}, to which every module adds its own. */
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
