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
import { Reflector } from '@nestjs/core';
import { map } from 'rxjs';
import { envelopeKindOf, successBody } from './envelope.js';
/** Metadata key of the message that a route's success carries; set by `@Answer()`. */
export const SUCCESS_MESSAGE = Symbol('SUCCESS_MESSAGE');
/** Wraps what a controller returns. Routes without `@Answer()` (pages, raw documents) pass as they are. */
let EnvelopeInterceptor = class EnvelopeInterceptor {
    reflector;
    constructor(reflector) {
        this.reflector = reflector;
    }
    intercept(context, next) {
        const message = this.reflector.get(SUCCESS_MESSAGE, context.getHandler());
        if (message === undefined)
            return next.handle();
        const request = context.switchToHttp().getRequest();
        const reply = context.switchToHttp().getResponse();
        return next.handle().pipe(map((data) => successBody(envelopeKindOf(request.url), reply.statusCode, message, data)));
    }
};
EnvelopeInterceptor = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [Reflector])
], EnvelopeInterceptor);
export { EnvelopeInterceptor };
//# sourceMappingURL=envelope.interceptor.js.map