import {
  ARRAY_MAX_SIZE,
  getMetadataStorage,
  IS_ARRAY,
  IS_NOT_EMPTY_OBJECT,
  IS_OBJECT,
  ValidationTypes,
} from 'class-validator';

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

/** Metadata key that is private to `@nestjs/swagger`. */
const DOCUMENTED_FIELDS = 'swagger/apiModelPropertiesArray';

/** @param type what the compiler wrote down for a parameter */
export function isUnchecked(type: unknown): boolean {
  return UNCHECKED_TYPES.includes(type);
}

/** The validation pipe would refuse every value of a class without rules. */
export function isWithoutRules(type: RequestClass): boolean {
  return rulesOf(type).length === 0;
}

function rulesOf(type: RequestClass) {
  return getMetadataStorage().getTargetValidationMetadatas(type as never, '', false, false);
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
