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
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS } from '../common/access/index.js';
/** Refuses to start with a route that does not say who may call it. */
let RouteAccessCheck = class RouteAccessCheck {
    discovery;
    scanner;
    reflector;
    constructor(discovery, scanner, reflector) {
        this.discovery = discovery;
        this.scanner = scanner;
        this.reflector = reflector;
    }
    onApplicationBootstrap() {
        const undeclared = this.discovery.getControllers().flatMap(({ metatype, instance }) => {
            const prototype = Object.getPrototypeOf(instance ?? {});
            return this.scanner
                .getAllMethodNames(prototype)
                .map((name) => ({ name, handler: prototype[name] }))
                .filter(({ handler }) => Reflect.hasMetadata(PATH_METADATA, handler))
                .filter(({ handler }) => !metatype || !this.reflector.getAllAndOverride(ACCESS, [handler, metatype]))
                .map(({ name }) => `${metatype?.name}.${name}`);
        });
        if (undeclared.length > 0) {
            throw new Error(`These routes do not say who may call them: ${undeclared.join(', ')}. ` +
                'Put @Public(), @Authenticated(), @Protected(), @ApiKeyOnly() or @AdminOnly() on each.');
        }
    }
};
RouteAccessCheck = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [DiscoveryService,
        MetadataScanner,
        Reflector])
], RouteAccessCheck);
export { RouteAccessCheck };
//# sourceMappingURL=route-access.check.js.map