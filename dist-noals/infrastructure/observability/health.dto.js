var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { ApiProperty } from '@nestjs/swagger';
export class LivenessDto {
    status;
}
__decorate([
    ApiProperty({ enum: ['up'] }),
    __metadata("design:type", String)
], LivenessDto.prototype, "status", void 0);
export class DependenciesDto {
    database;
    redis;
}
__decorate([
    ApiProperty({ enum: ['up', 'down'] }),
    __metadata("design:type", String)
], DependenciesDto.prototype, "database", void 0);
__decorate([
    ApiProperty({
        enum: ['up', 'down', 'not_configured'],
        description: 'not_configured: cache and limits in this process',
    }),
    __metadata("design:type", String)
], DependenciesDto.prototype, "redis", void 0);
export class ReadinessDto {
    status;
    dependencies;
    warnings;
}
__decorate([
    ApiProperty({ enum: ['ready', 'degraded', 'down'] }),
    __metadata("design:type", String)
], ReadinessDto.prototype, "status", void 0);
__decorate([
    ApiProperty(),
    __metadata("design:type", DependenciesDto)
], ReadinessDto.prototype, "dependencies", void 0);
__decorate([
    ApiProperty({
        enum: ['untrusted_proxy'],
        isArray: true,
        example: [],
        description: 'untrusted_proxy: all requests come from one proxy that TRUST_PROXY does not name',
    }),
    __metadata("design:type", Array)
], ReadinessDto.prototype, "warnings", void 0);
//# sourceMappingURL=health.dto.js.map