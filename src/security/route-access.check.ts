import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS } from '../common/access/index.js';

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
        .map(({ name }) => `${metatype?.name}.${name}`);
    });
    if (undeclared.length > 0) {
      throw new Error(
        `These routes do not say who may call them: ${undeclared.join(', ')}. ` +
          'Put @Public(), @Authenticated(), @Protected(), @ApiKeyOnly() or @AdminOnly() on each.',
      );
    }
  }
}
