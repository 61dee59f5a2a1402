import { applyDecorators, SetMetadata, UseGuards } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Public } from '../common/access/index.js';
import { OwnNameGuard } from './own-name.guard.js';

/** Metadata key of what a route of the kit does, for the listing under `/dev`. */
export const DEV_SUMMARY = Symbol('DEV_SUMMARY');

interface DevRouteOptions {
  summary: string;
  /** The `message` of its answer; without one, what the handler returns is the answer. */
  message?: string;
  /** It waits for something to happen, and may take longer than other requests. */
  waits?: boolean;
}

/** A route of the kit: no credentials, no limit, under a name of this machine alone. */
export function DevRoute({ summary, message, waits }: DevRouteOptions): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEV_SUMMARY, summary),
    Public({ limit: 'none' }),
    UseGuards(OwnNameGuard),
    RouteConfig({ successMessage: message, waits }),
  );
}
