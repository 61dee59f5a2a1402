import type { Schema } from './openapi-types.js';

/** What examples are made from. */
export interface ExampleSource {
  components: Record<string, Schema>;
  /** Names of the components around the schema: one that contains itself is shown once. */
  within?: readonly string[];
  /** Called with the path of a part that has neither an example nor one possible value; the example goes without it. */
  onMissing: (path: string) => void;
}

/**
 * An example of a schema, made from the examples of its fields, so that the two can never contradict each other.
 */
export function exampleOf(schema: Schema, source: ExampleSource, path = ''): unknown {
  if (schema.examples) return schema.examples[0];
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) as string;
    const { components, within = [] } = source;
    if (within.includes(name)) return undefined;
    const inner = { ...source, within: [...within, name] };
    return exampleOf(components[name] ?? {}, inner, `${path}${path && ' of '}${name}`);
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  for (const part of schema.allOf ?? schema.anyOf ?? schema.oneOf ?? []) {
    const example = exampleOf(part, source, path);
    if (example !== undefined) return example;
  }
  if (schema.properties) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, part]) => [name, exampleOf(part, source, `${path}.${name}`)]),
    );
  }
  if (schema.items) return [exampleOf(schema.items, source, path)].filter((item) => item !== undefined);
  if (schema.type === 'null' || schema.type?.includes('null')) return null;
  source.onMissing(path);
  return undefined;
}
