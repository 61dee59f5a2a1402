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
import { IsMongoId } from 'class-validator';
export const ID_PATTERN = '^[0-9a-fA-F]{24}$';
/** The `id` of a path (spec: "Conventions for other routes' parameters"). */
export class IdParamDto {
    id;
}
__decorate([
    ApiProperty({ pattern: ID_PATTERN, example: '66f2a1b3c4d5e6f708192a3b' }),
    IsMongoId({ message: 'id must be 24 hexadecimal characters' }),
    __metadata("design:type", String)
], IdParamDto.prototype, "id", void 0);
//# sourceMappingURL=id-param.dto.js.map