var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var InfrastructureModule_1;
import { Global, Module } from '@nestjs/common';
import { Clock } from '../common/clock/index.js';
import { RecordCacheModule } from './cache/index.js';
import { Config } from './config/index.js';
import { DatabaseModule } from './database/index.js';
import { ObservabilityModule } from './observability/index.js';
import { RedisModule } from './redis/index.js';
let RuntimeModule = class RuntimeModule {
};
RuntimeModule = __decorate([
    Global(),
    Module({})
], RuntimeModule);
/**
 * Owns what is outside the process: settings, time, database, Redis and cache. Global, so that a feature asks for
 * `Config`, `Clock`, `Transactions`, `RecordCache` or `REDIS` without importing anything. Knows no feature.
 */
let InfrastructureModule = InfrastructureModule_1 = class InfrastructureModule {
    static forRoot({ config, clock }) {
        const runtime = {
            module: RuntimeModule,
            providers: [
                { provide: Config, useValue: config },
                { provide: Clock, useValue: clock },
            ],
            exports: [Config, Clock],
        };
        return {
            module: InfrastructureModule_1,
            imports: [runtime, DatabaseModule, RedisModule, RecordCacheModule, ObservabilityModule],
            exports: [DatabaseModule, RedisModule, RecordCacheModule],
        };
    }
};
InfrastructureModule = InfrastructureModule_1 = __decorate([
    Global(),
    Module({})
], InfrastructureModule);
export { InfrastructureModule };
//# sourceMappingURL=infrastructure.module.js.map