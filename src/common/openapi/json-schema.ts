import { convertSchemas, type Keywords } from './convert-schemas.js';

const EXCLUSIVE_BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/**
 * Turns schemas as `@nestjs/swagger` writes them (OpenAPI 3.0) into the JSON Schema of OpenAPI 3.1, in the form that client
 * generators agree on.
 */
export function toJsonSchema(document: unknown): unknown {
  return convertSchemas(document, (schema) =>
    withNullBesideEnum(withoutLoneAllOf(withExclusiveBounds(withExamples(schema)))),
  );
}

function withExamples({ example, ...schema }: Keywords): Keywords {
  return example === undefined ? schema : { ...schema, examples: [example] };
}

/** In OpenAPI 3.0 a bound was exclusive by a flag beside it. */
function withExclusiveBounds(schema: Keywords): Keywords {
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
function withoutLoneAllOf({ allOf, ...schema }: Keywords): Keywords {
  if (!Array.isArray(allOf)) return schema;
  return allOf.length === 1 ? { ...schema, ...(allOf[0] as object) } : { ...schema, allOf };
}

/** A null that is one of an enumeration's values is overlooked by generators (swagger-typescript-api 13). */
function withNullBesideEnum(schema: Keywords): Keywords {
  const { enum: values, type, ...rest } = schema;
  if (!Array.isArray(values) || !Array.isArray(type) || !values.includes(null)) return schema;
  const [named] = type.filter((name) => name !== 'null') as string[];
  return { ...rest, anyOf: [{ type: named, enum: values.filter((one) => one !== null) }, { type: 'null' }] };
}
