import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from '../common/clock/index.js';
import { RecordCacheModule } from './cache/index.js';
import { Config } from './config/index.js';
import { DatabaseModule } from './database/index.js';
import { ObservabilityModule } from './observability/index.js';
import { RedisModule } from './redis/index.js';

/** What the process starts with; tests bring their own. */
export interface Runtime {
  config: Config;
  clock: Clock;
}

/**
 * Owns what is outside the process: settings, time, database, Redis and cache. Global, so that a feature asks for
 * `Config`, `Clock`, `Transactions`, `RecordCache`, `Metrics` or `REDIS` without importing anything. Knows no feature.
 */
@Global()
@Module({})
export class InfrastructureModule {
  static forRoot({ config, clock }: Runtime): DynamicModule {
    const observability = ObservabilityModule.forRoot(config);
    return {
      module: InfrastructureModule,
      imports: [DatabaseModule, RedisModule, RecordCacheModule, observability],
      providers: [
        { provide: Config, useValue: config },
        { provide: Clock, useValue: clock },
      ],
      exports: [Config, Clock, DatabaseModule, RedisModule, RecordCacheModule, observability],
    };
  }
}
