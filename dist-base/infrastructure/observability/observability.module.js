var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/index.js';
import { RedisModule } from '../redis/index.js';
import { ForwardingCheck } from './forwarding-check.js';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';
/** Owns what an operator sees: `/health`. (The logger is made before any module is.) Exports nothing. */
let ObservabilityModule = class ObservabilityModule {
};
ObservabilityModule = __decorate([
    Module({
        imports: [DatabaseModule, RedisModule],
        controllers: [HealthController],
        providers: [Readiness, ForwardingCheck],
        exports: [ForwardingCheck],
    })
], ObservabilityModule);
export { ObservabilityModule };
//# sourceMappingURL=observability.module.js.map