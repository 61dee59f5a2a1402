interface Schema30 {
  [keyword: string]: unknown;
  nullable?: boolean;
  example?: unknown;
  type?: string;
  enum?: unknown[];
  allOf?: unknown[];
}

/**
 * OpenAPI 3.0's dialect of a schema, which is what `@nestjs/swagger` writes, as the JSON Schema of OpenAPI 3.1:
 * `nullable` becomes a type, `example` becomes `examples`. Works on whole documents: only schemas bear these keywords
 * beside a `type`, a `$ref` or an `allOf`.
 */
export function toJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJsonSchema);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable = false, example, ...rest } = value as Schema30;
  const schema: Record<string, unknown> = {};
  for (const [keyword, inner] of Object.entries(rest)) schema[keyword] = isData(keyword) ? inner : toJsonSchema(inner);
  if (example !== undefined) schema.examples = [example];
  return nullable ? orNull(schema) : withoutLoneAllOf(schema);
}

/** In OpenAPI 3.0 nothing could stand beside a `$ref`, hence an `allOf` of one. */
function withoutLoneAllOf({ allOf, ...schema }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(allOf)) return schema;
  return allOf.length === 1 ? { ...schema, ...(allOf[0] as object) } : { ...schema, allOf };
}

/** Keywords whose value is no schema, whatever it looks like. */
function isData(keyword: string): boolean {
  return ['enum', 'default', 'examples', 'required', 'security'].includes(keyword);
}

function orNull({ allOf, ...schema }: Record<string, unknown>): Record<string, unknown> {
  if (Array.isArray(allOf)) return { ...schema, anyOf: [...(allOf as unknown[]), { type: 'null' }] };
  const values = schema.enum as unknown[] | undefined;
  return { ...schema, type: [schema.type, 'null'], ...(values && { enum: [...new Set([...values, null])] }) };
}
