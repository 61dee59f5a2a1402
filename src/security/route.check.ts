import { Injectable, type OnApplicationBootstrap, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA, VERSION_METADATA } from '@nestjs/common/constants.js';
import { ApplicationConfig, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { ACCESS, type Access } from '../common/access/index.js';
import { hasRules, OWN_SCHEMA_NAMES, RESERVED_OPERATION_IDS } from '../common/openapi/index.js';
import { isPrincipal } from './authentication/principal.js';
import {
  isUnchecked,
  looseFields,
  modelsWithin,
  type RequestClass,
  schemaNameOf,
  undocumentedFields,
  unknownFields,
} from './request-classes.js';

const HOW_TO_DECLARE_ACCESS = `Put one of these on each of them, from src/common/access:
  @Protected()      API key and bearer token: the ordinary route of an application
  @AdminOnly()      the same, and the role of administrator
  @Authenticated()  a bearer token alone
  @ApiKeyOnly()     an API key alone: for callers that are services
  @Public()         nothing: anybody may call it
It sets the guards, the limit, and what the OpenAPI document says of both. On a class it is for the handlers which that class
itself has: one that it inherits needs its own.`;

const HOW_TO_DESCRIBE = `Put @Operation({ summary, description, message }), from src/common/openapi, on each of them: it sets the status and the
envelope of the answer too. What is no part of the API bears @ApiExcludeEndpoint(), or its controller @ApiExcludeController().`;

const HOW_TO_PREFIX = `app.setGlobalPrefix() and app.enableVersioning() would move the service's own routes, and with them what is decided by
path: envelope, limits and headers. Put prefix or version into the paths of your controllers (@Controller('api/v2/…')); a prefix
for all of them is the proxy's.`;

interface Route {
  controller: object & { name: string };
  name: string;
  handler: () => unknown;
  parameters: Parameter[];
}

interface Parameter {
  /** Where its value comes from, or that of a decorator of its own. */
  source: 'body' | 'query' | 'path' | 'other';
  type: RequestClass | undefined;
  /** What makes the value, of a decorator of its own. */
  factory?: unknown;
  hasPipe: boolean;
}

/** Metadata key that is private to `@nestjs/swagger`. */
const EXTRA_MODELS = 'swagger/apiExtraModels';

/** Numbers of Nest's own. */
const SOURCES: Record<string, Parameter['source']> = { 3: 'body', 4: 'query', 5: 'path' };

/** Refuses to start with a route that declares no access, or whose declarations would have no effect. */
@Injectable()
export class RouteCheck implements OnApplicationBootstrap {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly application: ApplicationConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.check();
  }

  /** @throws Error that names the routes, and what to do */
  check(): void {
    if (this.application.getGlobalPrefix() || this.application.getVersioning()) throw new Error(HOW_TO_PREFIX);
    const routes = this.routes();
    refuse(
      routes.filter((route) => !declaredAccess(route)),
      'that do not say who may call them',
      HOW_TO_DECLARE_ACCESS,
    );
    refuse(
      routes.filter(
        (route) => !declaredAccess(route)?.bearer && route.parameters.some(({ factory }) => isPrincipal(factory)),
      ),
      'that ask for the principal of a caller without a bearer token',
      'Access without one is for handlers without @CurrentPrincipal().',
    );
    refuse(
      routes.filter(({ controller, handler }) => [handler, controller].some(isThrottled)),
      'with a decorator of @nestjs/throttler, which has no effect here',
      "Limits are part of the access, e.g. @Protected({ limit: 'none' }); their numbers are settings of the service.",
    );
    refuse(
      routes.filter(({ controller, handler }) => [handler, controller].some(isVersioned)),
      'with a version, which has no effect here',
      "Put it into the path: @Controller('api/v2/…').",
    );
    refuse(
      routes.filter(({ parameters }) => parameters.some(isNotValidated)),
      'with a body, a query or a parameter that nothing validates',
      `Its type must be a class with rules: no interface, no list, no single field, no Partial<…>, and imported with \`import\`, not with
\`import type\`. Or give it a pipe that validates it, as in @Query(new MyPipe()).`,
    );
    refuse(
      routes.filter((route) => !classesOf(route).every(hasRules)),
      'whose parameters no request can meet',
      'The class of a body, a query or parameters needs a decorator of class-validator on each field.',
    );
    refuseFields(
      routes,
      looseFields,
      'that would take a list for an object, or something else for a list, and fail on it',
      'Put @IsObject() beside @ValidateNested(), with the same `each`, and @IsArray() beside `each: true`,',
    );
    const documented = routes.filter(({ controller, handler }) => ![handler, controller].some(isExcluded));
    refuse(
      documented.filter(({ handler }) => !isDescribed(handler)),
      'that do not say what they answer',
      HOW_TO_DESCRIBE,
    );
    refuseFields(
      documented,
      undocumentedFields,
      'that take what the OpenAPI document does not tell of',
      'Put @ApiProperty(), beside its rules,',
    );
    refuseFields(
      documented,
      unknownFields,
      'that refuse what the OpenAPI document tells of',
      'Put a decorator of class-validator, beside @ApiProperty(),',
    );
    const taken = namesTakenTwice(documented.flatMap(modelsOf));
    refuse(
      documented.filter((route) => modelsOf(route).some((model) => taken.has(schemaNameOf(model)))),
      'with classes that share a name',
      `Schemas of the OpenAPI document are named after classes, so one would replace the other: rename yours of ${[...taken].join(', ')}.`,
    );
    refuse(
      documented.filter(({ controller, handler }) => isSeveral(controller, handler)),
      'whose handlers serve several methods or paths',
      'Clients are generated with one function for each handler: give each method and path a handler of its own.',
    );
    refuse(
      documented.filter(({ name }) => documented.filter((other) => other.name === name).length > 1),
      'whose handlers share a name',
      'The name of a handler is the operationId of generated clients: give each route one of its own.',
    );
    refuse(
      documented.filter(({ name }) => RESERVED_OPERATION_IDS.includes(name)),
      'whose handlers have a reserved name',
      'Errors of a route are named after its handler, and those that all routes share begin with Auth and Resource: rename it.',
    );
  }

  private routes(): Route[] {
    return this.discovery.getControllers().flatMap(({ metatype, instance }) => {
      const prototype = Object.getPrototypeOf(instance ?? {}) as Record<string, () => unknown>;
      return this.scanner
        .getAllMethodNames(prototype)
        .map((name) => ({ name, handler: prototype[name] as () => unknown }))
        .filter(({ handler }) => Reflect.hasMetadata(PATH_METADATA, handler))
        .map(({ name, handler }) => {
          const controller = metatype as Route['controller'];
          return { controller, name, handler, parameters: parametersOf(controller, prototype, name) };
        });
    });
  }
}

function refuse(routes: Route[], fault: string, remedy: string): void {
  if (routes.length === 0) return;
  const listed = routes.map((route) => `  ${addressOf(route)} (${route.controller.name}.${route.name})`);
  throw new Error(`Routes ${fault}:\n${listed.join('\n')}\n${remedy}`);
}

/** Refuses routes whose classes have such fields, and names these after the remedy: `… on NewNoteDto.place, NewNoteDto.title.` */
function refuseFields(
  routes: Route[],
  fieldsOf: (type: RequestClass) => string[],
  fault: string,
  remedy: string,
): void {
  const fieldsIn = (route: Route) =>
    classesOf(route).flatMap((type) => fieldsOf(type).map((field) => `${type.name}.${field}`));
  const fields = new Set(routes.flatMap(fieldsIn));
  refuse(
    routes.filter((route) => fieldsIn(route).length > 0),
    fault,
    `${remedy} on ${[...fields].join(', ')}.`,
  );
}

function isThrottled(target: object): boolean {
  return hasKeyOf(target, 'THROTTLER:');
}

function isVersioned(target: object): boolean {
  return Reflect.getMetadata(VERSION_METADATA, target) !== undefined;
}

/** Whether the route or controller is excluded from the OpenAPI document. */
function isExcluded(target: object): boolean {
  return hasKeyOf(target, 'swagger/apiExclude');
}

/** Metadata whose full key is private to its library. */
function hasKeyOf(target: object, beginning: string): boolean {
  return Reflect.getMetadataKeys(target).some((key) => String(key).startsWith(beginning));
}

/** Whether one handler makes several operations of the OpenAPI document. */
function isSeveral(...targets: [controller: object, handler: object]): boolean {
  const paths = targets.map((target) => [Reflect.getMetadata(PATH_METADATA, target)].flat());
  return (
    paths.some(({ length }) => length > 1) || Reflect.getMetadata(METHOD_METADATA, targets[1]) === RequestMethod.ALL
  );
}

function isDescribed(handler: object): boolean {
  const config = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as { successMessage?: string } | undefined;
  return config?.successMessage !== undefined;
}

/**
 * As the guards see it. That of a class does not count for handlers that it inherits: decorators of `@nestjs/swagger` see only the
 * others, so the document would contradict the guards, and a class would open what the one that it extends protects.
 */
function declaredAccess({ controller, name, handler }: Route): Access | undefined {
  const isOwn = Object.hasOwn((controller as unknown as { prototype: object }).prototype, name);
  const ofController = isOwn ? Reflect.getOwnMetadata(ACCESS, controller) : undefined;
  return (Reflect.getMetadata(ACCESS, handler) ?? ofController) as Access | undefined;
}

function parametersOf(controller: object, prototype: object, name: string): Parameter[] {
  const types = (Reflect.getMetadata('design:paramtypes', prototype, name) ?? []) as RequestClass[];
  const declared = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<
    string,
    { index: number; factory?: unknown; pipes?: unknown[] }
  >;
  return Object.entries(declared).map(([key, { index, factory, pipes = [] }]) => ({
    source: SOURCES[key.split(':')[0] as string] ?? 'other',
    type: types[index],
    factory,
    hasPipe: pipes.length > 0,
  }));
}

/** The validation pipe passes on as it is what is of no class; only a text in the path can be nothing else. */
function isNotValidated({ source, type, hasPipe }: Parameter): boolean {
  return source !== 'other' && !hasPipe && isUnchecked(type) && !(source === 'path' && (type as unknown) === String);
}

/** What is validated. */
function classesOf({ parameters }: Route): RequestClass[] {
  return parameters.flatMap(({ source, type }) => (source === 'other' || !type || isUnchecked(type) ? [] : [type]));
}

/** The classes that the document describes for a route: of what it takes and answers, and of what is in these. */
function modelsOf(route: Route): RequestClass[] {
  const answered = (Reflect.getMetadata(EXTRA_MODELS, route.handler) ?? []) as RequestClass[];
  return modelsWithin([...classesOf(route), ...answered]);
}

/** The names of different classes, or of a class and of what the document itself has. */
function namesTakenTwice(models: RequestClass[]): Set<string> {
  const names = [...OWN_SCHEMA_NAMES, ...[...new Set(models)].map(schemaNameOf)];
  return new Set(names.filter((name, i) => names.indexOf(name) < i));
}

/** For example `GET /api/notes/:id`, from the decorators of controller and handler. */
function addressOf({ controller, handler }: Route): string {
  const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number];
  const parts = [controller, handler].map((target) => [Reflect.getMetadata(PATH_METADATA, target)].flat()[0] as string);
  return `${method} /${parts.join('/')}`.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1');
}
