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
import { RefusalListener } from '../../common/errors/index.js';
import { SecurityEvents } from './security-events.js';
/** Refusals that the flow itself records, since it knows the account. */
const RECORDED_BY_FLOWS = new Set([
    'invalid_credentials',
    'email_not_verified',
    'password_reset_required',
    'invalid_otp',
    'invalid_reset_token',
    'refresh_token_reused',
]);
/** Records failed authentication and authorisation, and exceeded limits, wherever they happen. */
let RefusalEvents = class RefusalEvents extends RefusalListener {
    events;
    constructor(events) {
        super();
        this.events = events;
    }
    refused({ code, status }, route) {
        if (RECORDED_BY_FLOWS.has(code))
            return;
        const detail = `${code} ${route}`;
        if (status === 401)
            this.events.record({ kind: 'authn_fail', outcome: 'failure', detail });
        if (status === 403)
            this.events.record({ kind: 'authz_fail', outcome: 'failure', detail });
        if (status === 429)
            this.events.record({ kind: 'excess_rate_limit_exceeded', outcome: 'failure', detail });
    }
};
RefusalEvents = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [SecurityEvents])
], RefusalEvents);
export { RefusalEvents };
//# sourceMappingURL=refusal-events.js.map