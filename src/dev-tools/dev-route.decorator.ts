import { applyDecorators, SetMetadata, UseGuards } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Public } from '../common/access/index.js';
import { OwnNameGuard } from './own-name.guard.js';

/** Metadata key of the description of a route of the kit, for the listing under `/dev`. */
export const DEV_SUMMARY = Symbol('DEV_SUMMARY');

interface DevRouteOptions {
  summary: string;
  /** The `message` of its answer; without one, the handler's result is the whole answer. */
  message?: string;
  /** The route waits for an event, and is exempt from the time limit of other requests. */
  waits?: boolean;
}

/** A route of the kit: without credentials or limit, and only for requests to a host name of this machine. */
export function DevRoute({ summary, message, waits }: DevRouteOptions): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEV_SUMMARY, summary),
    Public({ limit: 'none' }),
    UseGuards(OwnNameGuard),
    RouteConfig({ successMessage: message, waits }),
  );
}
