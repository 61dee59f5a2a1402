import { Controller, Get, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import { DEV_SUMMARY, DevRoute } from '../dev-route.decorator.js';
import { LIMIT_NAMESPACE_HEADER } from '../limits/request-limit-namespaces.js';

interface ListingDto {
  routes: { method: string; path: string; summary: string }[];
  headers: { name: string; summary: string }[];
}

@ApiExcludeController()
@Controller('dev')
export class ListingController {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  @Get()
  @DevRoute({ summary: 'This list', message: 'The test kit; docs/testing.md says more' })
  listKit(): ListingDto {
    const routes = this.discovery.getControllers().flatMap(({ instance }) => this.routesOf(instance as object));
    const summary = 'With any request: its limits are counted apart from those of other names';
    return {
      routes: routes.sort((a, b) => a.path.localeCompare(b.path)),
      headers: [{ name: LIMIT_NAMESPACE_HEADER, summary }],
    };
  }

  private routesOf(controller: object): ListingDto['routes'] {
    const handlers = Object.getPrototypeOf(controller) as Record<string, object>;
    const base = Reflect.getMetadata(PATH_METADATA, controller.constructor) as string;
    return this.scanner
      .getAllMethodNames(handlers)
      .map((name) => handlers[name] as object)
      .filter((handler) => Reflect.hasMetadata(DEV_SUMMARY, handler))
      .map((handler) => ({
        method: RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod],
        path: `/${base}/${Reflect.getMetadata(PATH_METADATA, handler) as string}`.replace(/\/+$/, ''),
        summary: Reflect.getMetadata(DEV_SUMMARY, handler) as string,
      }));
  }
}
