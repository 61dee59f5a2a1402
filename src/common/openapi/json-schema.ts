/** Keywords whose value is no schema, whatever it looks like. */
const DATA = ['enum', 'default', 'examples', 'required', 'security'];

/** Keywords under which there are schemas by name: a field may be called `example` or `required`. */
const NAME_MAPS = ['properties', 'schemas'];

const EXCLUSIVE_BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

interface Schema30 {
  [keyword: string]: unknown;
  example?: unknown;
}

/**
 * Turns schemas as `@nestjs/swagger` writes them (OpenAPI 3.0) into the JSON Schema of OpenAPI 3.1, in the form that client
 * generators agree on. Works on whole documents: only schemas have these keywords beside a `type`, a `$ref` or an `allOf`.
 */
export function toJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJsonSchema);
  if (typeof value !== 'object' || value === null) return value;
  const { example, ...rest } = value as Schema30;
  const schema: Record<string, unknown> = {};
  for (const [keyword, inner] of Object.entries(rest)) schema[keyword] = convertUnder(keyword, inner);
  if (example !== undefined) schema.examples = [example];
  return withNullBesideEnum(withoutLoneAllOf(withExclusiveBounds(schema)));
}

function convertUnder(keyword: string, value: unknown): unknown {
  if (DATA.includes(keyword)) return value;
  if (!NAME_MAPS.includes(keyword)) return toJsonSchema(value);
  return Object.fromEntries(Object.entries(value as object).map(([name, schema]) => [name, toJsonSchema(schema)]));
}

/** In OpenAPI 3.0 a bound was exclusive by a flag beside it. */
function withExclusiveBounds(schema: Record<string, unknown>): Record<string, unknown> {
  const bounded = { ...schema };
  for (const [bound, flag] of EXCLUSIVE_BOUNDS) {
    if (bounded[flag] === false) delete bounded[flag];
    if (bounded[flag] !== true) continue;
    bounded[flag] = bounded[bound];
    delete bounded[bound];
  }
  return bounded;
}

/** In OpenAPI 3.0 nothing could stand beside a `$ref`, hence an `allOf` of one. */
function withoutLoneAllOf({ allOf, ...schema }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(allOf)) return schema;
  return allOf.length === 1 ? { ...schema, ...(allOf[0] as object) } : { ...schema, allOf };
}

/** A null that is one of an enumeration's values is overlooked by generators (swagger-typescript-api 13). */
function withNullBesideEnum(schema: Record<string, unknown>): Record<string, unknown> {
  const { enum: values, type, ...rest } = schema;
  if (!Array.isArray(values) || !Array.isArray(type) || !values.includes(null)) return schema;
  const [named] = type.filter((name) => name !== 'null') as string[];
  return { ...rest, anyOf: [{ type: named, enum: values.filter((one) => one !== null) }, { type: 'null' }] };
}
