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
import { JwtService } from '@nestjs/jwt';
import { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { assertSessionClaims, signingKey, signToken, VERIFY_OPTIONS, } from './token-codec.js';
const TYPE = 'rt+jwt';
const AUDIENCE = 'account-service/refresh';
/**
 * Refresh tokens. A token is a pure function of the session's state, so that the successor of a rotation can be made
 * again for a client that did not receive it, though only its hash is stored.
 */
let RefreshTokens = class RefreshTokens {
    clock;
    jwt;
    ttlMs;
    sessionMaxAgeMs;
    constructor(config, clock) {
        this.clock = clock;
        this.jwt = new JwtService({ secret: signingKey(config.tokens.refreshSecret) });
        this.ttlMs = config.tokens.refreshTtlMs;
        this.sessionMaxAgeMs = config.tokens.sessionMaxAgeMs;
    }
    issue({ userId, sessionId, generation, rotatedAt, loggedInAt }) {
        const expiresAtMs = Math.min(rotatedAt.getTime() + this.ttlMs, loggedInAt.getTime() + this.sessionMaxAgeMs);
        return signToken(this.jwt, TYPE, {
            id: userId,
            sid: sessionId,
            gen: generation,
            jti: `${sessionId}.${generation}`,
            iat: Math.floor(rotatedAt.getTime() / 1000),
            exp: Math.floor(expiresAtMs / 1000),
            aud: AUDIENCE,
        });
    }
    /** @throws ApiError `token_expired` or `token_invalid` */
    verify(token) {
        return this.read(token, false);
    }
    /**
     * For showing that a token belongs to a session, where its age does not matter.
     * @throws ApiError `token_invalid`
     */
    verifyOwnership(token) {
        return this.read(token, true);
    }
    read(token, mayBeExpired) {
        let decoded;
        try {
            decoded = this.jwt.verify(token, VERIFY_OPTIONS);
        }
        catch (error) {
            throw new ApiError('token_invalid', { cause: error });
        }
        const claims = assertSessionClaims(decoded, { type: TYPE, audience: AUDIENCE, clock: this.clock, mayBeExpired });
        if (!Number.isSafeInteger(claims.gen))
            throw new ApiError('token_invalid');
        return claims;
    }
};
RefreshTokens = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [Config,
        Clock])
], RefreshTokens);
export { RefreshTokens };
//# sourceMappingURL=refresh-tokens.js.map