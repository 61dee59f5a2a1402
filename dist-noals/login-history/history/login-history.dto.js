var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
class BrowserDto {
    name;
    version;
    major;
}
__decorate([
    ApiPropertyOptional({ example: 'Firefox' }),
    __metadata("design:type", String)
], BrowserDto.prototype, "name", void 0);
__decorate([
    ApiPropertyOptional({ example: '128.0' }),
    __metadata("design:type", String)
], BrowserDto.prototype, "version", void 0);
__decorate([
    ApiPropertyOptional({ example: '128' }),
    __metadata("design:type", String)
], BrowserDto.prototype, "major", void 0);
class OperatingSystemDto {
    name;
    version;
}
__decorate([
    ApiPropertyOptional({ example: 'Linux' }),
    __metadata("design:type", String)
], OperatingSystemDto.prototype, "name", void 0);
__decorate([
    ApiPropertyOptional({ example: '6.1' }),
    __metadata("design:type", String)
], OperatingSystemDto.prototype, "version", void 0);
export class DeviceDto {
    browser;
    os;
    platform;
    source;
}
__decorate([
    ApiProperty(),
    __metadata("design:type", BrowserDto)
], DeviceDto.prototype, "browser", void 0);
__decorate([
    ApiProperty(),
    __metadata("design:type", OperatingSystemDto)
], DeviceDto.prototype, "os", void 0);
__decorate([
    ApiPropertyOptional({ example: 'amd64' }),
    __metadata("design:type", String)
], DeviceDto.prototype, "platform", void 0);
__decorate([
    ApiProperty({ example: 'desktop', description: 'Device class' }),
    __metadata("design:type", String)
], DeviceDto.prototype, "source", void 0);
export class LocationDto {
    country;
    region;
    city;
    timezone;
}
__decorate([
    ApiPropertyOptional({ example: 'FR', description: 'ISO 3166-1 alpha-2' }),
    __metadata("design:type", String)
], LocationDto.prototype, "country", void 0);
__decorate([
    ApiPropertyOptional({ example: 'Île-de-France' }),
    __metadata("design:type", String)
], LocationDto.prototype, "region", void 0);
__decorate([
    ApiPropertyOptional({ example: 'Paris' }),
    __metadata("design:type", String)
], LocationDto.prototype, "city", void 0);
__decorate([
    ApiPropertyOptional({ example: 'Europe/Paris' }),
    __metadata("design:type", String)
], LocationDto.prototype, "timezone", void 0);
/** A login, and the session that it opened. */
export class LoginHistoryDto {
    _id;
    ip;
    login_at;
    devices;
    locations;
    user_agent;
    current;
}
__decorate([
    ApiProperty({ example: '66f2a1b3c4d5e6f708192a3b' }),
    __metadata("design:type", String)
], LoginHistoryDto.prototype, "_id", void 0);
__decorate([
    ApiProperty({ example: '203.0.113.7' }),
    __metadata("design:type", String)
], LoginHistoryDto.prototype, "ip", void 0);
__decorate([
    ApiProperty({ format: 'date-time', example: '2026-01-31T09:30:00.000Z' }),
    __metadata("design:type", String)
], LoginHistoryDto.prototype, "login_at", void 0);
__decorate([
    ApiProperty({ type: DeviceDto, nullable: true }),
    __metadata("design:type", Object)
], LoginHistoryDto.prototype, "devices", void 0);
__decorate([
    ApiProperty({ type: LocationDto, nullable: true, description: 'null for private and unknown addresses' }),
    __metadata("design:type", Object)
], LoginHistoryDto.prototype, "locations", void 0);
__decorate([
    ApiProperty({
        type: String,
        nullable: true,
        example: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
    }),
    __metadata("design:type", Object)
], LoginHistoryDto.prototype, "user_agent", void 0);
__decorate([
    ApiProperty({ example: true, description: 'The session of this very request' }),
    __metadata("design:type", Boolean)
], LoginHistoryDto.prototype, "current", void 0);
/** @param currentSessionId the session that asks; null for somebody else's history */
export function toLoginHistoryDto(entry, currentSessionId) {
    return {
        _id: entry._id.toHexString(),
        ip: entry.ip,
        login_at: entry.login_at.toISOString(),
        devices: entry.devices ?? null,
        locations: entry.locations ?? null,
        user_agent: entry.user_agent ?? null,
        current: entry._id.toHexString() === currentSessionId,
    };
}
export class LoginStatisticsDto {
    total_logins;
    unique_ips;
    unique_devices;
    last_login;
}
__decorate([
    ApiProperty({ type: 'integer', minimum: 0, example: 12 }),
    __metadata("design:type", Number)
], LoginStatisticsDto.prototype, "total_logins", void 0);
__decorate([
    ApiProperty({ type: 'integer', minimum: 0, example: 3 }),
    __metadata("design:type", Number)
], LoginStatisticsDto.prototype, "unique_ips", void 0);
__decorate([
    ApiProperty({ type: 'integer', minimum: 0, example: 2, description: 'Pairs of browser and operating system' }),
    __metadata("design:type", Number)
], LoginStatisticsDto.prototype, "unique_devices", void 0);
__decorate([
    ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-01-31T09:30:00.000Z' }),
    __metadata("design:type", Object)
], LoginStatisticsDto.prototype, "last_login", void 0);
//# sourceMappingURL=login-history.dto.js.map