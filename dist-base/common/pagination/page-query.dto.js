var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;
/** Deeper pages cost a scan as long as they are deep. */
const MAX_PAGE = 1_000_000;
/** `page` and `limit` of a list; anything but plain decimal digits (`1e2`, `0x10`, ` 20`) is refused. */
export class PageQueryDto {
    page = 1;
    limit = DEFAULT_LIMIT;
}
__decorate([
    ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_PAGE, default: 1, example: 1 }),
    Transform(({ value }) => plainNumber(value)),
    Max(MAX_PAGE, { message: `page must be at most ${MAX_PAGE}` }),
    Min(1, { message: 'page must be 1 or more' }),
    IsInt({ message: 'page must be a whole number' }),
    IsOptional(),
    __metadata("design:type", Number)
], PageQueryDto.prototype, "page", void 0);
__decorate([
    ApiPropertyOptional({
        type: 'integer',
        minimum: 1,
        maximum: MAX_LIMIT,
        default: DEFAULT_LIMIT,
        example: DEFAULT_LIMIT,
    }),
    Transform(({ value }) => plainNumber(value)),
    Max(MAX_LIMIT, { message: `limit must be at most ${MAX_LIMIT}` }),
    Min(1, { message: 'limit must be 1 or more' }),
    IsInt({ message: 'limit must be a whole number' }),
    IsOptional(),
    __metadata("design:type", Number)
], PageQueryDto.prototype, "limit", void 0);
function plainNumber(value) {
    return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
}
//# sourceMappingURL=page-query.dto.js.map