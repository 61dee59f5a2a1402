import { Injectable, type OnApplicationBootstrap, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA, VERSION_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import {
  ARRAY_MAX_SIZE,
  getMetadataStorage,
  IS_ARRAY,
  IS_NOT_EMPTY_OBJECT,
  IS_OBJECT,
  ValidationTypes,
} from 'class-validator';
import { ACCESS } from '../common/access/index.js';

const HOW_TO_DECLARE_ACCESS = `Put one of these on each of them, from src/common/access:
  @Protected()      API key and bearer token: the ordinary route of an application
  @AdminOnly()      the same, and the role of administrator
  @Authenticated()  a bearer token alone
  @ApiKeyOnly()     an API key alone: for callers that are services
  @Public()         nothing: anybody may call it
It sets the guards, the limit, and what the OpenAPI document says of both.`;

const HOW_TO_DESCRIBE = `Put @Operation({ summary, description, message }), from src/common/openapi, on each of them: it sets the status and the
envelope of the answer too. What is no part of the API bears @ApiExcludeEndpoint(), or its controller @ApiExcludeController().`;

/** Types of parameters that Nest's validation pipe does not validate. */
const UNCHECKED_TYPES: unknown[] = [String, Boolean, Number, Array, Object, Buffer, Date];

/** Metadata key that is private to `@nestjs/swagger`. */
const DOCUMENTED_FIELDS = 'swagger/apiModelPropertiesArray';

interface Route {
  controller: object & { name: string };
  name: string;
  handler: () => unknown;
  /** Types of the parameters that are validated. */
  types: RequestClass[];
}

interface RequestClass {
  name: string;
  prototype: object;
}

/** Refuses to start with a route that declares no access, or whose declarations would have no effect. */
@Injectable()
export class RouteCheck implements OnApplicationBootstrap {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onApplicationBootstrap(): void {
    const routes = this.routes();
    refuse(
      routes.filter(
        ({ controller, handler }) => ![handler, controller].some((one) => Reflect.hasMetadata(ACCESS, one)),
      ),
      'that do not say who may call them',
      HOW_TO_DECLARE_ACCESS,
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
      routes.filter(({ types }) => types.some(isWithoutRules)),
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
          return { controller, name, handler, types: validatedTypes(controller, prototype, name) };
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
  const fieldsIn = ({ types }: Route) =>
    types
      .filter((type) => !UNCHECKED_TYPES.includes(type))
      .flatMap((type) => fieldsOf(type).map((field) => `${type.name}.${field}`));
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

function validatedTypes(controller: object, prototype: object, name: string): Route['types'] {
  const types = (Reflect.getMetadata('design:paramtypes', prototype, name) ?? []) as Route['types'];
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<
    string,
    { index: number }
  >;
  // 3, 4 and 5 are body, query and path; parameters of custom decorators have other keys, and are not validated.
  const indexes = Object.entries(parameters).filter(([key]) => /^[345]:/.test(key));
  return indexes.flatMap(([, { index }]) => types[index] ?? []);
}

/** The validation pipe would refuse every value of a class without rules. */
function isWithoutRules(type: RequestClass): boolean {
  return !UNCHECKED_TYPES.includes(type) && rulesOf(type).length === 0;
}

function rulesOf(type: RequestClass) {
  return getMetadataStorage().getTargetValidationMetadatas(type as never, '', false, false);
}

/** Fields that a request may have, or must, and that no decorator of `@nestjs/swagger` documents. */
function undocumentedFields(type: RequestClass): string[] {
  const documented = (Reflect.getMetadata(DOCUMENTED_FIELDS, type.prototype) ?? []) as string[];
  const fields = new Set(rulesOf(type).map(({ propertyName }) => propertyName));
  return [...fields].filter((field) => !documented.includes(`:${field}`));
}

const OBJECT_RULES = [IS_OBJECT, IS_NOT_EMPTY_OBJECT];
const LIST_RULES = [IS_ARRAY, ARRAY_MAX_SIZE];

/**
 * Fields of which nothing says that they are objects, or lists: `@ValidateNested()` takes `[]` for an object without faults, and a
 * rule with `each` takes what is no list for one.
 */
function looseFields(type: RequestClass): string[] {
  const rules = rulesOf(type);
  const has = (names: string[], field: string, each: boolean) =>
    rules.some((rule) => names.includes(rule.name ?? '') && rule.propertyName === field && !rule.each === !each);
  const loose = rules.filter(({ type: kind, propertyName, each }) => {
    const isNested = kind === ValidationTypes.NESTED_VALIDATION;
    return (isNested && !has(OBJECT_RULES, propertyName, each)) || (each && !has(LIST_RULES, propertyName, false));
  });
  return [...new Set(loose.map(({ propertyName }) => propertyName))];
}

/** For example `GET /api/notes/:id`, from the decorators of controller and handler. */
function addressOf({ controller, handler }: Route): string {
  const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number];
  const parts = [controller, handler].map((target) => [Reflect.getMetadata(PATH_METADATA, target)].flat()[0] as string);
  return `${method} /${parts.join('/')}`.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1');
}
