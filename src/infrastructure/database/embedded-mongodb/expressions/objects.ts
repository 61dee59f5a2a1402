import { CommandError } from '../command-error.js';
import { typeName } from '../values/bson-types.js';
import { assign, isDocument, own, type Document } from '../values/document.js';
import { argumentsOf, isNothing, named, strict, type Operators } from './expression.js';

export const OBJECTS: Operators = {
  $objectToArray: strict([1, 1], ([value]) =>
    Object.entries(objectOf('$objectToArray', value, 40390)).map(([k, v]) => ({ k, v })),
  ),
  $arrayToObject: strict([1, 1], ([pairs]) => {
    if (!Array.isArray(pairs)) throw new CommandError(40386, '$arrayToObject requires an array input');
    const result: Document = {};
    for (const pair of pairs) {
      const isOfFirstKind = Array.isArray(pair) === Array.isArray(pairs[0]);
      const [key, value] = Array.isArray(pair) && pair.length === 2 ? (pair as unknown[]) : pairOf(pair);
      if (!isOfFirstKind || typeof key !== 'string') {
        throw new CommandError(40392, '$arrayToObject requires arrays of a string and a value, or objects of k and v');
      }
      assign(result, key, value ?? null);
    }
    return result;
  }),
  $getField: (operand, { compile }, name) => {
    const isNamed = isDocument(operand) && 'field' in operand;
    const { field, input = '$$ROOT' } = isNamed ? argumentsOf(name, operand, 'field input?') : { field: operand };
    const [key, holder] = [compile(field), compile(input)];
    return (document, variables) => {
      const path = fieldName(name, key(document, variables));
      const value = holder(document, variables);
      if (isDocument(value)) return own(value, path);
      return value === null ? null : undefined;
    };
  },
  $setField: named('field input value', ({ field, input, value }) => changed('$setField', input, field, value)),
  $unsetField: named('field input', ({ field, input }) => changed('$unsetField', input, field, undefined)),
};

function pairOf(pair: unknown): unknown[] {
  const isNamed = isDocument(pair) && Object.keys(pair).length === 2 && 'k' in pair && 'v' in pair;
  return isNamed ? [pair['k'], pair['v']] : [];
}

/** The field may have any name, including `$price` and `a.b`. */
function changed(name: string, before: unknown, field: unknown, value: unknown): unknown {
  if (isNothing(before)) return null;
  const after = { ...objectOf(name, before, 4161105) };
  const key = fieldName(name, field);
  if (value === undefined) delete after[key];
  else assign(after, key, value);
  return after;
}

function fieldName(operator: string, name: unknown): string {
  if (typeof name === 'string') return name;
  throw new CommandError(5654602, `${operator} requires 'field' to evaluate to type String, but got ${typeName(name)}`);
}

function objectOf(operator: string, value: unknown, code: number): Document {
  if (isDocument(value)) return value;
  throw new CommandError(code, `${operator} requires an object, but got ${typeName(value)}`);
}
