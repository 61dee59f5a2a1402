import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';
import { convertSchemas, type Keywords } from './convert-schemas.js';
import { errorBaseName, refTo } from './named-schemas.js';

/** What `{ type: 'null' }` has become: OpenAPI 3.0 has no type of null. */
const NULL = { type: 'object', nullable: true };

/** The schemas of all errors. */
const ERROR_BASES = [refTo(errorBaseName('auth')), refTo(errorBaseName('resource'))];

/**
 * The same contract in OpenAPI 3.0.3, for generators that know no other (NSwag, AutoRest, oapi-codegen). Those write classes for
 * languages in which a subclass cannot narrow a field, so the errors of each operation are the two schemas of all errors, and a
 * field with a single value is one of its type.
 * @param document in OpenAPI 3.1; it is left as it is
 */
export function toOpenApi30(document: OpenAPIObject): OpenAPIObject {
  const bases = new Map<unknown, Keywords>();
  const schemas: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    const base = ERROR_BASES.find((ref) => isDeepStrictEqual((schema as { allOf?: unknown[] }).allOf?.[0], ref));
    if (base) bases.set(refTo(name).$ref, { ...base });
    else schemas[name] = schema;
  }
  const described = { ...document, openapi: '3.0.3', components: { ...document.components, schemas } };
  return convertSchemas(described, (schema) => bases.get(schema.$ref) ?? toSchema30(schema)) as OpenAPIObject;
}

function toSchema30(schema: Keywords): Keywords {
  return withoutLoneValues(withRefApart(withNullable(withFlaggedBounds(withOneExample(withoutConst(schema))))));
}

function withoutConst({ const: only, ...schema }: Keywords): Keywords {
  return only === undefined ? schema : { ...schema, enum: [only] };
}

function withOneExample({ examples, ...schema }: Keywords): Keywords {
  if (Array.isArray(examples)) return { ...schema, example: examples[0] };
  return examples === undefined ? schema : { ...schema, examples };
}

function withFlaggedBounds(schema: Keywords): Keywords {
  const { exclusiveMinimum, exclusiveMaximum, ...bounded } = schema;
  return {
    ...bounded,
    ...(typeof exclusiveMinimum === 'number' ? { minimum: exclusiveMinimum, exclusiveMinimum: true } : {}),
    ...(typeof exclusiveMaximum === 'number' ? { maximum: exclusiveMaximum, exclusiveMaximum: true } : {}),
  };
}

function withNullable(schema: Keywords): Keywords {
  const { type, anyOf, ...rest } = schema;
  if (type === 'null') return { ...rest, ...NULL };
  if (Array.isArray(type))
    return withNullable({ ...rest, anyOf: type.map((one) => (one === 'null' ? NULL : { type: one })) });
  if (!Array.isArray(anyOf)) return schema;
  const others = anyOf.filter((one) => !isDeepStrictEqual(one, NULL)) as Keywords[];
  if (others.length === anyOf.length) return schema;
  const [only] = others;
  if (!only || others.length > 1) return { ...rest, anyOf: others, nullable: true };
  return { ...rest, ...only, ...(Array.isArray(only.enum) ? { enum: [...only.enum, null] } : {}), nullable: true };
}

/** OpenAPI 3.0 ignores what stands beside a `$ref`. */
function withRefApart({ $ref, ...schema }: Keywords): Keywords {
  if ($ref === undefined) return schema;
  return Object.keys(schema).length === 0 ? { $ref } : { ...schema, allOf: [{ $ref }] };
}

/** Of a field that has one value, generators make a type, of a boolean one that does not compile. */
function withoutLoneValues(schema: Keywords): Keywords {
  const { properties, items } = schema as { properties?: Record<string, Keywords>; items?: Keywords };
  if (items) return { ...schema, items: withoutLoneValue(items) };
  if (!properties) return schema;
  const fields = Object.entries(properties).map(([name, field]) => [name, withoutLoneValue(field)]);
  return { ...schema, properties: Object.fromEntries(fields) };
}

function withoutLoneValue({ enum: values, ...schema }: Keywords): Keywords {
  if (!Array.isArray(values)) return schema;
  return values.length === 1 ? { ...schema, example: values[0] } : { ...schema, enum: values };
}
