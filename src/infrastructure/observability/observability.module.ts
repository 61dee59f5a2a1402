import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/index.js';
import { RedisModule } from '../redis/index.js';
import { ForwardingCheck } from './forwarding-check.js';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';

/** Owns what an operator sees: `/health`. (The logger is made before any module is.) Exports nothing. */
@Module({
  imports: [DatabaseModule, RedisModule],
  controllers: [HealthController],
  providers: [Readiness, ForwardingCheck],
  exports: [ForwardingCheck],
})
export class ObservabilityModule {}
