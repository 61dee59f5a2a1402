import { type INestApplication, Logger } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { type Access, ACCESS_EXTENSION, ERROR_CODES_EXTENSION } from '../access/index.js';
import type { ErrorCode } from '../errors/index.js';
import { envelopeKindOf } from '../http/index.js';
import { HEADER_COMPONENTS, SCHEMA_COMPONENTS } from './components.js';
import { DESCRIPTION, TAGS } from './description.js';
import { errorExamples } from './error-examples.js';
import { type ExampleSource, exampleOf } from './example.js';
import { exampleMistake } from './example-mistake.js';
import { toJsonSchema } from './json-schema.js';
import type { MediaType, Parameter, Response, Schema } from './openapi-types.js';
import { JSON_MEDIA_TYPE, SUCCESS_EXTENSION, type SuccessDescription } from './operation.decorator.js';
import { responsesOf } from './responses.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & Record<string, unknown>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;

const API_KEY_SCHEME = 'api_key';
const BEARER_SCHEME = 'bearer';

/**
 * The OpenAPI document, made from the decorators alone. Responses are completed here and not route by route: which
 * envelope a path answers in, and which errors follow from its access, is decided in one place for all.
 * @param onMissingExample called with the path of each part of an answer or a body of which there is no example
 */
export function createOpenApiDocument(
  app: INestApplication,
  onMissingExample: (path: string) => void = warnOfMissingExample,
): OpenAPIObject {
  const created = SwaggerModule.createDocument(app, outline(), {
    operationIdFactory: (_controller, method) => method,
  });
  const document = toJsonSchema(created) as OpenAPIObject;
  const schemas = { ...SCHEMA_COMPONENTS, ...document.components?.schemas } as Record<string, Schema>;
  document.components = {
    ...document.components,
    headers: HEADER_COMPONENTS as never,
    schemas: schemas as never,
  };
  const tags = new Set(document.tags?.map(({ name }) => name));
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method] as Operation | undefined;
      if (!operation) continue;
      completeOperation(path, method, operation, { components: schemas, onMissing: onMissingExample });
      for (const tag of operation.tags ?? []) tags.add(tag);
    }
  }
  document.components.examples = errorExamples(document.paths);
  const known = document.tags ?? [];
  document.tags = [...tags].map((name) => known.find((tag) => tag.name === name) ?? { name });
  return document;
}

function warnOfMissingExample(path: string): void {
  new Logger('OpenAPI').warn(`The document goes without an example of ${path}`);
}

function outline() {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Account service')
    .setVersion('1.0.0')
    .setDescription(DESCRIPTION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This service')
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'x-api-key',
        description: 'Names the calling application. At a development start the service prints one.',
      },
      API_KEY_SCHEME,
    )
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The `token` of a login, without `Bearer`' },
      BEARER_SCHEME,
    );
  for (const [name, description] of TAGS) builder.addTag(name, description);
  const document = builder.build();
  return { ...document, info: { ...document.info, contact: { name: 'The team that runs this service' } } };
}

function completeOperation(
  path: string,
  method: (typeof METHODS)[number],
  operation: Operation,
  examples: ExampleSource,
): void {
  const success = operation[SUCCESS_EXTENSION] as SuccessDescription | undefined;
  const access = operation[ACCESS_EXTENSION] as Access | undefined;
  const envelope = envelopeKindOf(path);
  // Elsewhere the limiter does not speak of logins.
  const errorCodes = ((operation[ERROR_CODES_EXTENSION] ?? []) as ErrorCode[]).map((code) =>
    code === 'too_many_login_attempts' && envelope !== 'auth' ? 'too_many_requests' : code,
  );
  for (const extension of [SUCCESS_EXTENSION, ACCESS_EXTENSION, ERROR_CODES_EXTENSION]) delete operation[extension];
  operation.security = securityOf(access);
  const body = describeBody(operation, examples);
  const parameters = describeParameters(operation, examples);
  if (!success) return;
  const declared = (operation.responses ?? {}) as Record<string, Partial<Response>>;
  operation.responses = responsesOf(
    {
      operationId: operation.operationId as string,
      envelope,
      success,
      errorCodes,
      exampleMistake: success.isValidated || body ? exampleMistake(body, parameters) : null,
      mayHaveBody: method !== 'get' && method !== 'head',
      isLimited: access !== undefined && access.limit !== 'none',
    },
    examples,
    declared,
  ) as never;
}

/**
 * Completes the body. Its example stands beside its schema too, as those of parameters do: tools that send requests look there alone
 * (dredd, Postman).
 * @returns its schema
 */
function describeBody({ operationId, requestBody }: Operation, examples: ExampleSource): Schema | undefined {
  const body = requestBody as { content?: Record<string, MediaType>; required?: boolean } | undefined;
  let described: Schema | undefined;
  for (const [mediaType, content] of Object.entries(body?.content ?? {})) {
    described = resolved(content.schema, examples.components);
    refuseOthers(described, examples.components);
    // Where no field is required, no body is an empty one.
    if (body && described?.properties && !described.required) body.required = false;
    if (mediaType !== JSON_MEDIA_TYPE || !content.schema || content.examples) continue;
    content.example = exampleOf(content.schema, examples, content.schema.$ref ? '' : `the body of ${operationId}`);
  }
  return described;
}

function describeParameters(operation: Operation, examples: ExampleSource): Parameter[] {
  const parameters = (operation.parameters ?? []) as Parameter[];
  for (const parameter of parameters) {
    const { schema } = parameter;
    if (!schema) continue;
    if (Array.isArray(parameter.examples)) {
      schema.examples = parameter.examples as unknown[];
      delete parameter.examples;
    }
    // Of an optional one Swagger UI would send it unasked, and so filter lists.
    if (!parameter.required || parameter.examples) continue;
    parameter.example = exampleOf(schema, { ...examples, onMissing: () => undefined });
  }
  return parameters;
}

/** Says of a request's body, and of what is in it, that fields beside the described ones are refused. */
function refuseOthers(schema: Schema | undefined, components: Record<string, Schema>): void {
  const body = resolved(schema, components);
  if (!body || body.additionalProperties !== undefined) return;
  if (body.properties) body.additionalProperties = false;
  const parts = [body.items, ...(body.anyOf ?? []), ...Object.values(body.properties ?? {})];
  for (const part of parts) refuseOthers(part, components);
}

function resolved(schema: Schema | undefined, components: Record<string, Schema>): Schema | undefined {
  const name = schema?.$ref?.split('/').at(-1);
  return name === undefined ? schema : components[name];
}

/**
 * One requirement with both schemes means "and", two requirements would mean "or". An empty list is written too: generators take
 * its absence for "not decided".
 */
function securityOf({ apiKey, bearer }: Partial<Access> = {}): Record<string, string[]>[] {
  const schemes = [...(apiKey ? [API_KEY_SCHEME] : []), ...(bearer ? [BEARER_SCHEME] : [])];
  return schemes.length > 0 ? [Object.fromEntries(schemes.map((name) => [name, []]))] : [];
}
