import { evalExpr } from 'mingo/core';
import { CommandError } from '../command-error.js';
import { typeName } from '../values/bson-types.js';
import { assign, isDocument, own, type Document } from '../values/document.js';
import { onlyArgument, valuesOfEach, type Expression, type Options } from './expression.js';
import { ARRAY, OBJECT, PATH } from './normalised.js';
import { merged } from './own-accumulators.js';

/** What is written down as an object or an array. No client can name them. */
export const LITERAL_EXPRESSIONS: Record<string, Expression> = {
  [OBJECT]: (document, operand, options) => {
    const result: Document = {};
    for (const [name, value] of Object.entries(operand as Document)) {
      const found = evalExpr(document, value, options);
      if (found !== undefined) assign(result, name, found);
    }
    return result;
  },
  [ARRAY]: (document, operand, options) =>
    (operand as unknown[]).map((element) => evalExpr(document, element, options) ?? null),
  [PATH]: (document, operand, options) => {
    const { of, names } = operand as { of: string; names: string[] };
    return found(evalExpr(document, of, options), names);
  },
};

/** Through documents, and through the documents in an array, of which those that have nothing there are left out. */
function found(value: unknown, names: string[]): unknown {
  const [name, ...rest] = names;
  if (name === undefined) return value;
  if (isDocument(value)) return found(own(value, name), rest);
  if (!Array.isArray(value)) return undefined;
  const inner = value.filter(isDocument).map((element) => found(element, names));
  return inner.filter((one) => one !== undefined);
}

export const OBJECT_EXPRESSIONS: Record<string, Expression> = {
  $mergeObjects: (document, operand, options) => {
    const isGroup = Array.isArray(document);
    return merged(
      isGroup ? valuesOfEach(document, operand, options) : [onlyArgument(document, operand, options)].flat(),
    );
  },
  $objectToArray: (document, operand, options) => {
    const object = evalExpr(document, operand, options);
    if (object === undefined || object === null) return null;
    return Object.entries(objectOf('$objectToArray', object, 40390)).map(([k, v]) => ({ k, v }));
  },
  $getField: (document, operand, options) => {
    const isNamed = isDocument(operand) && 'field' in operand;
    const field = fieldName('$getField', document, isNamed ? operand.field : operand, options);
    const input =
      isNamed && 'input' in operand ? evalExpr(document, operand.input, options) : rootOf(document, options);
    if (isDocument(input)) return own(input, field);
    return input === null ? null : undefined;
  },
  $setField: (document, operand, options) => {
    const { field, input, value } = operand as Document;
    return changed('$setField', document, { field, input, value: evalExpr(document, value, options) }, options);
  },
  $unsetField: (document, operand, options) =>
    changed('$unsetField', document, { ...(operand as Document), value: undefined }, options),
};

function rootOf(document: Document, options: Options): unknown {
  return evalExpr(document, '$$ROOT', options);
}

/** A field may be called anything, `$price` and `a.b` too. */
function changed(name: string, document: Document, { field, input, value }: Document, options: Options): unknown {
  const before = evalExpr(document, input, options);
  if (before === undefined || before === null) return null;
  const { [fieldName(name, document, field, options)]: _before, ...others } = objectOf(name, before, 4161105);
  if (value === undefined) return others;
  const after = { ...(before as Document) };
  assign(after, fieldName(name, document, field, options), value);
  return after;
}

function fieldName(operator: string, document: Document, field: unknown, options: Options): string {
  const name = evalExpr(document, field, options);
  if (typeof name === 'string') return name;
  throw new CommandError(5654602, `${operator} requires 'field' to evaluate to type String, but got ${typeName(name)}`);
}

function objectOf(operator: string, value: unknown, code: number): Document {
  if (isDocument(value)) return value;
  throw new CommandError(code, `${operator} requires an object, but got ${typeName(value)}`);
}
