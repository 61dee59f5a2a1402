import type { Schema } from './openapi-types.js';

/**
 * An example of a schema, made of the examples of its parts: what the document shows as an answer cannot say anything
 * else than what it says of the fields.
 * @throws Error when a part has neither an example nor one possible value; `path` names it
 */
export function exampleOf(schema: Schema, components: Record<string, Schema>, path = ''): unknown {
  if (schema.examples) return schema.examples[0];
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) as string;
    return exampleOf(components[name] ?? {}, components, `${path}${path && ' of '}${name}`);
  }
  if (schema.enum) return schema.enum[0];
  const [first] = schema.allOf ?? schema.anyOf ?? [];
  if (first) return exampleOf(first, components, path);
  if (schema.properties) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, part]) => [name, exampleOf(part, components, `${path}.${name}`)]),
    );
  }
  if (schema.items) return [exampleOf(schema.items, components, path)];
  if (schema.type === 'null' || schema.type?.includes('null')) return null;
  throw new Error(`The OpenAPI document needs an example of ${path}`);
}
