import { evalExpr } from 'mingo/core';
import { CommandError } from '../command-error.js';
import { typeName } from '../values/bson-types.js';
import { assign, isDocument, own, type Document } from '../values/document.js';
import type { Expression, Options } from './expression.js';
import { ARRAY, OBJECT, PATH } from './normalised.js';

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
  $objectToArray: (document, operand, options) => {
    const object = evalExpr(document, operand, options);
    if (object === undefined || object === null) return null;
    return Object.entries(objectOf('$objectToArray', object, 40390)).map(([k, v]) => ({ k, v }));
  },
  $arrayToObject: (document, operand, options) => {
    const pairs = evalExpr(document, operand, options);
    if (pairs === undefined || pairs === null) return null;
    if (!Array.isArray(pairs)) throw new CommandError(40386, '$arrayToObject requires an array input');
    const result: Document = {};
    for (const pair of pairs) {
      const isOfFirstKind = Array.isArray(pair) === Array.isArray(pairs[0]);
      const [key, value] = Array.isArray(pair) && pair.length === 2 ? pair : pairOf(pair);
      if (!isOfFirstKind || typeof key !== 'string') {
        throw new CommandError(40392, '$arrayToObject requires arrays of a string and a value, or objects of k and v');
      }
      assign(result, key, value ?? null);
    }
    return result;
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

function pairOf(pair: unknown): unknown[] {
  const isNamed = isDocument(pair) && Object.keys(pair).length === 2 && 'k' in pair && 'v' in pair;
  return isNamed ? [pair['k'], pair['v']] : [];
}

/** A field may be called anything, `$price` and `a.b` too. */
function changed(name: string, document: Document, { field, input, value }: Document, options: Options): unknown {
  const before = evalExpr(document, input, options);
  if (before === undefined || before === null) return null;
  const after = { ...objectOf(name, before, 4161105) };
  const key = fieldName(name, document, field, options);
  if (value === undefined) delete after[key];
  else assign(after, key, value);
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
