var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { RefreshTokens } from '../../security/index.js';
/** Holding both tokens of one session: asked of whoever wants to end it. */
let SessionProof = class SessionProof {
    refreshTokens;
    constructor(refreshTokens) {
        this.refreshTokens = refreshTokens;
    }
    /** @throws ApiError `token_invalid` when the refresh token is of another session than the bearer */
    assertSameSession({ userId, sessionId }, refreshToken) {
        const claims = this.refreshTokens.verifyOwnership(refreshToken);
        if (claims.sid !== sessionId || claims.id !== userId)
            throw new ApiError('token_invalid');
    }
};
SessionProof = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [RefreshTokens])
], SessionProof);
export { SessionProof };
//# sourceMappingURL=session-proof.js.map