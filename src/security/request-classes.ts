import { ARRAY_MAX_SIZE, IS_ARRAY, IS_NOT_EMPTY_OBJECT, IS_OBJECT, ValidationTypes } from 'class-validator';
import { rulesOf } from '../common/openapi/index.js';

/** The class of a body, a query or parameters. */
export interface RequestClass {
  name: string;
  prototype: object;
}

/**
 * What the compiler writes down for a parameter of no class, and what Nest's validation pipe does not validate. `Function` stands for
 * a class of which only the type was imported.
 */
const UNCHECKED_TYPES: unknown[] = [String, Boolean, Number, Array, Object, Buffer, Date, Function, undefined];

/** Metadata keys that are private to `@nestjs/swagger`. */
const DOCUMENTED_FIELDS = 'swagger/apiModelPropertiesArray';
const FIELD = 'swagger/apiModelProperties';
const SCHEMA = 'swagger/apiSchema';

/** @param type what the compiler wrote down for a parameter */
export function isUnchecked(type: unknown): boolean {
  return UNCHECKED_TYPES.includes(type);
}

/** Fields that a request may have, or must, and that no decorator of `@nestjs/swagger` documents. */
export function undocumentedFields(type: RequestClass): string[] {
  const documented = documentedFields(type);
  return [...fieldsWithRules(type)].filter((field) => !documented.has(field));
}

/** Fields that are documented, and that no request may have, since they have no rule. */
export function unknownFields(type: RequestClass): string[] {
  const known = fieldsWithRules(type);
  return [...documentedFields(type)].filter((field) => !known.has(field));
}

function documentedFields(type: RequestClass): Set<string> {
  const documented = (Reflect.getMetadata(DOCUMENTED_FIELDS, type.prototype) ?? []) as string[];
  // They are listed with a colon before them.
  return new Set(documented.map((field) => field.slice(1)));
}

function fieldsWithRules(type: RequestClass): Set<string> {
  return new Set(rulesOf(type).map(({ propertyName }) => propertyName));
}

const OBJECT_RULES = [IS_OBJECT, IS_NOT_EMPTY_OBJECT];
const LIST_RULES = [IS_ARRAY, ARRAY_MAX_SIZE];

/**
 * Fields of which nothing says that they are objects, or lists: `@ValidateNested()` takes `[]` for an object without faults, and a
 * rule with `each` takes what is no list for one.
 */
export function looseFields(type: RequestClass): string[] {
  const rules = rulesOf(type);
  const has = (names: string[], field: string, each: boolean) =>
    rules.some((rule) => names.includes(rule.name ?? '') && rule.propertyName === field && !rule.each === !each);
  const loose = rules.filter(({ type: kind, propertyName, each }) => {
    const isNested = kind === ValidationTypes.NESTED_VALIDATION;
    return (isNested && !has(OBJECT_RULES, propertyName, each)) || (each && !has(LIST_RULES, propertyName, false));
  });
  return [...new Set(loose.map(({ propertyName }) => propertyName))];
}

/** These classes, and those of their documented fields, of the fields of these, and so on. */
export function modelsWithin(types: RequestClass[]): RequestClass[] {
  const found = new Set(types);
  // What is added is visited, too.
  for (const type of found)
    for (const field of documentedFields(type)) {
      const model = modelOf((Reflect.getMetadata(FIELD, type.prototype, field) as { type?: unknown }).type);
      if (model) found.add(model);
    }
  return [...found];
}

/** The class that is given as `Dto`, `[Dto]`, `() => Dto` or `() => [Dto]`; null for a type of no class. */
function modelOf(given: unknown): RequestClass | null {
  const [type] = [given].flat() as unknown[];
  if (typeof type !== 'function') return null;
  if (!('prototype' in type)) return modelOf((type as () => unknown)());
  return isUnchecked(type) ? null : (type as unknown as RequestClass);
}

/** What the document calls a class. */
export function schemaNameOf(type: RequestClass): string {
  const given = (Reflect.getOwnMetadata(SCHEMA, type) ?? []) as { name?: string }[];
  return given.at(-1)?.name ?? type.name;
}
