var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../common/access/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Operation } from '../../common/openapi/index.js';
import { LivenessDto, ReadinessDto } from './health.dto.js';
import { Readiness } from './readiness.js';
let HealthController = class HealthController {
    readiness;
    constructor(readiness) {
        this.readiness = readiness;
    }
    getLiveness() {
        return { status: 'up' };
    }
    async getReadiness() {
        const report = await this.readiness.check();
        if (report.status === 'down')
            throw new ApiError('service_unavailable', { retryAfterSeconds: 5, data: report });
        return report;
    }
};
__decorate([
    Get('live'),
    Public({ limit: 'none' }),
    Operation({ summary: 'The process runs', message: 'Alive', data: LivenessDto }),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", []),
    __metadata("design:returntype", LivenessDto)
], HealthController.prototype, "getLiveness", null);
__decorate([
    Get('ready'),
    Public({ limit: 'none' }),
    Operation({
        summary: 'The process can serve requests',
        description: '`degraded`: it serves, without Redis. `down` comes with status 503, and the same `data` beside the error: without the database nothing can be served.',
        message: 'Ready',
        data: ReadinessDto,
    }),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", []),
    __metadata("design:returntype", Promise)
], HealthController.prototype, "getReadiness", null);
HealthController = __decorate([
    ApiTags('Health'),
    Controller('health'),
    __metadata("design:paramtypes", [Readiness])
], HealthController);
export { HealthController };
//# sourceMappingURL=health.controller.js.map