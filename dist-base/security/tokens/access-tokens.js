var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Clock } from '../../common/clock/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { assertSessionClaims, signingKey, signToken } from './token-codec.js';
const TYPE = 'at+jwt';
const AUDIENCE = 'account-service/access';
/** Access tokens (RFC 9068 style `at+jwt`): short-lived bearers which name a user and a session, and nothing else. */
let AccessTokens = class AccessTokens {
    clock;
    jwt;
    /** Lifetime told to clients as `expires_in`, seconds. */
    ttlSeconds;
    constructor(config, clock) {
        this.clock = clock;
        this.jwt = new JwtService({ secret: signingKey(config.tokens.accessSecret) });
        this.ttlSeconds = Math.floor(config.tokens.accessTtlMs / 1000);
    }
    issue(userId, sessionId) {
        const iat = Math.floor(this.clock.nowMs() / 1000);
        // Without the random `jti`, two tokens of the same second would be the same token.
        const jti = randomBytes(16).toString('base64url');
        return signToken(this.jwt, TYPE, {
            id: userId,
            sid: sessionId,
            jti,
            iat,
            exp: iat + this.ttlSeconds,
            aud: AUDIENCE,
        });
    }
    /** @throws ApiError `token_expired` or `token_invalid`; the signature has been verified before. */
    assertClaims(decoded) {
        return assertSessionClaims(decoded, { type: TYPE, audience: AUDIENCE, clock: this.clock });
    }
};
AccessTokens = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [Config,
        Clock])
], AccessTokens);
export { AccessTokens };
//# sourceMappingURL=access-tokens.js.map