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
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-jwt';
import { Config } from '../../infrastructure/config/index.js';
import { Authenticator } from '../authentication/authenticator.js';
import { AccessTokens } from './access-tokens.js';
import { signingKey, VERIFY_OPTIONS } from './token-codec.js';
/** RFC 6750 section 2.1, the header alone: tokens in a query string or a body are not looked at. */
export function bearerToken(request) {
    return /^Bearer +([^\s,]+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}
/** The specification's order: signature and expiry, then the cached record, then storage; then that the session lives. */
let JwtStrategy = class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
    accessTokens;
    authenticator;
    constructor(config, accessTokens, authenticator) {
        super({
            jwtFromRequest: bearerToken,
            secretOrKey: signingKey(config.tokens.accessSecret),
            algorithms: VERIFY_OPTIONS.algorithms,
            ignoreExpiration: true,
            jsonWebTokenOptions: { complete: true, ignoreNotBefore: true },
        });
        this.accessTokens = accessTokens;
        this.authenticator = authenticator;
    }
    async validate(decoded) {
        return this.authenticator.authenticate(this.accessTokens.assertClaims(decoded));
    }
};
JwtStrategy = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [Config,
        AccessTokens,
        Authenticator])
], JwtStrategy);
export { JwtStrategy };
//# sourceMappingURL=jwt.strategy.js.map