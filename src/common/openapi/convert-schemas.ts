/** Keywords whose value is no schema, whatever it looks like. */
const DATA = ['enum', 'default', 'example', 'examples', 'required', 'security'];

/** Keywords under which there are schemas by name: a field may be called `example` or `required`. */
const NAME_MAPS = ['properties', 'schemas'];

export type Keywords = Record<string, unknown>;

/**
 * Converts every schema of a whole document, the inner ones first. Other objects are converted too: only schemas have the keywords
 * that conversions are about.
 */
export function convertSchemas(value: unknown, convert: (schema: Keywords) => Keywords): unknown {
  if (Array.isArray(value)) return value.map((one) => convertSchemas(one, convert));
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).map(([keyword, under]) => [keyword, convertUnder(keyword, under, convert)]);
  return convert(Object.fromEntries(inner));
}

function convertUnder(keyword: string, value: unknown, convert: (schema: Keywords) => Keywords): unknown {
  if (DATA.includes(keyword)) return value;
  if (!NAME_MAPS.includes(keyword)) return convertSchemas(value, convert);
  const named = Object.entries(value as object).map(([name, schema]) => [name, convertSchemas(schema, convert)]);
  return Object.fromEntries(named);
}
