import { Injectable, type OnApplicationBootstrap, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS } from '../common/access/index.js';

const WHAT_TO_DO = `Put one of these on each of them, from src/common/access:
  @Protected()      API key and bearer token: the ordinary route of an application
  @AdminOnly()      the same, and the role of administrator
  @Authenticated()  a bearer token alone
  @ApiKeyOnly()     an API key alone: for callers that are services
  @Public()         nothing: anybody may call it
It sets the guards, the limit, and what the OpenAPI document says of both.`;

/** Refuses to start with a route that does not say who may call it. */
@Injectable()
export class RouteAccessCheck implements OnApplicationBootstrap {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onApplicationBootstrap(): void {
    const undeclared = this.discovery.getControllers().flatMap(({ metatype, instance }) => {
      const prototype = Object.getPrototypeOf(instance ?? {}) as Record<string, () => unknown>;
      return this.scanner
        .getAllMethodNames(prototype)
        .map((name) => ({ name, handler: prototype[name] as () => unknown }))
        .filter(({ handler }) => Reflect.hasMetadata(PATH_METADATA, handler))
        .filter(({ handler }) => !metatype || !this.reflector.getAllAndOverride(ACCESS, [handler, metatype as never]))
        .map(({ name, handler }) => `  ${addressOf(metatype as object, handler)} (${metatype?.name}.${name})`);
    });
    if (undeclared.length === 0) return;
    throw new Error(`Routes that do not say who may call them:\n${undeclared.join('\n')}\n${WHAT_TO_DO}`);
  }
}

/** `GET /api/notes/:id`, as the decorators of controller and handler put it. */
function addressOf(controller: object, handler: () => unknown): string {
  const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number];
  const parts = [controller, handler].map((target) => [Reflect.getMetadata(PATH_METADATA, target)].flat()[0] as string);
  return `${method} /${parts.join('/')}`.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1');
}
