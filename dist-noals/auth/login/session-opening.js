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
import { Clock } from '../../common/clock/index.js';
import { LocationFinder, parseDevice, SessionsRepository } from '../../login-history/index.js';
import { AccessTokens, RefreshTokens } from '../../security/index.js';
import { NewDeviceNotice } from './new-device-notice.js';
/** Opens a session: its tokens, its login-history entry, and a word to the owner when it is from a new place. */
let SessionOpening = class SessionOpening {
    accessTokens;
    refreshTokens;
    sessions;
    locations;
    newDeviceNotice;
    clock;
    constructor(accessTokens, refreshTokens, sessions, locations, newDeviceNotice, clock) {
        this.accessTokens = accessTokens;
        this.refreshTokens = refreshTokens;
        this.sessions = sessions;
        this.locations = locations;
        this.newDeviceNotice = newDeviceNotice;
        this.clock = clock;
    }
    issueTokens({ userId }) {
        const sessionId = this.sessions.nextId();
        const loggedInAt = this.clock.now();
        return {
            sessionId,
            loggedInAt,
            answer: {
                token: this.accessTokens.issue(userId, sessionId),
                refresh_token: this.refreshTokens.issue({
                    userId,
                    sessionId,
                    generation: 0,
                    rotatedAt: loggedInAt,
                    loggedInAt,
                }),
                expires_in: this.accessTokens.ttlSeconds,
            },
        };
    }
    /** The tokens are worth something from here on. */
    async record({ sessionId, loggedInAt, answer }, account, { ip, userAgent }) {
        const device = parseDevice(userAgent);
        const location = await this.locations.find(ip);
        await this.sessions.insert({
            sessionId,
            userId: account.userId,
            authId: account.authId,
            ip,
            userAgent,
            device,
            location,
            accessToken: answer.token,
            refreshToken: answer.refresh_token,
            loggedInAt,
            credentialVersion: account.credentialVersion,
        });
        await this.newDeviceNotice.consider({
            userId: account.userId,
            email: account.email,
            ip,
            device,
            location,
            loggedInAt,
        });
    }
};
SessionOpening = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [AccessTokens,
        RefreshTokens,
        SessionsRepository,
        LocationFinder,
        NewDeviceNotice,
        Clock])
], SessionOpening);
export { SessionOpening };
//# sourceMappingURL=session-opening.js.map