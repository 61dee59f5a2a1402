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
/** Example tokens are no tokens: nothing that could be mistaken for one is in the document. */
export class TokensDto {
    token;
    refresh_token;
    expires_in;
}
__decorate([
    ApiProperty({
        example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.c2lnbmF0dXJl',
        description: 'Access token: `Authorization: Bearer <token>`',
    }),
    __metadata("design:type", String)
], TokensDto.prototype, "token", void 0);
__decorate([
    ApiProperty({
        example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6InJ0K2p3dCJ9.e30.c2lnbmF0dXJl',
        description: 'Gets the next pair of tokens; works once',
    }),
    __metadata("design:type", String)
], TokensDto.prototype, "refresh_token", void 0);
__decorate([
    ApiProperty({ type: 'integer', example: 3600, description: 'Lifetime of the access token in seconds' }),
    __metadata("design:type", Number)
], TokensDto.prototype, "expires_in", void 0);
//# sourceMappingURL=tokens.dto.js.map