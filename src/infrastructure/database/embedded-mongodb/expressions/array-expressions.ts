import { evalExpr } from 'mingo/core';
import { CommandError } from '../command-error.js';
import { elementSortKey, sorted } from '../values/sort-key.js';
import { isTruthy, toInteger } from '../values/numbers.js';
import { typeName } from '../values/bson-types.js';
import type { Document } from '../values/document.js';
import { identity } from '../values/order.js';
import { foldOf, withVariables, type Expression, type Options } from './expression.js';
import { hidden } from './normalised.js';

/** Expressions that bind variables to the elements of an array, put them in order, or take arrays for sets. */
export const ARRAY_EXPRESSIONS: Record<string, Expression> = {
  $map: (document, operand, options) => {
    const { input, in: body, as = 'this' } = operand as Document;
    const elements = elementsOf('$map', document, input, options);
    return (
      elements?.map(
        (element) => evalExpr(document, body, withVariables(options, { [hidden(String(as))]: element })) ?? null,
      ) ?? null
    );
  },
  $filter: (document, operand, options) => {
    const { input, cond, as = 'this', limit } = operand as Document;
    const elements = elementsOf('$filter', document, input, options);
    const most = evalExpr(document, limit, options) ?? Infinity;
    if (most !== Infinity && toInteger(most, '$filter limit', 327391) < 1) {
      throw new CommandError(327392, '$filter: limit must be greater than 0');
    }
    const accepted = elements?.filter((element) =>
      isTruthy(evalExpr(document, cond, withVariables(options, { [hidden(String(as))]: element }))),
    );
    return accepted?.slice(0, Number(most)) ?? null;
  },
  $reduce: (document, operand, options) => {
    const { input, initialValue, in: body } = operand as Document;
    const elements = elementsOf('$reduce', document, input, options);
    const first = evalExpr(document, initialValue, options);
    return elements
      ? elements.reduce(
          (value, element) => evalExpr(document, body, withVariables(options, { value, This: element })),
          first,
        )
      : null;
  },
  $sortArray: (document, operand, options) => {
    const { input, sortBy } = operand as Document;
    const elements = elementsOf('$sortArray', document, input, options);
    const keyOf = elementSortKey(sortBy, foldOf(options));
    if (!keyOf) throw new CommandError(2942504, '$sortArray takes 1, -1 or a document of fields');
    return elements ? sorted(elements, keyOf) : null;
  },
  $zip: (document, operand, options) => {
    const { inputs, useLongestLength, defaults } = operand as Document;
    if (!Array.isArray(inputs) || inputs.length === 0) {
      throw new CommandError(34461, '$zip needs its inputs as an array of expressions');
    }
    const lists = inputs.map((input) => elementsOf('$zip', document, input, options));
    const others = defaults === undefined ? [] : (evalExpr(document, defaults, options) as unknown[]);
    if (defaults !== undefined && (useLongestLength !== true || others.length !== lists.length)) {
      throw new CommandError(34467, '$zip takes defaults with useLongestLength, and one for each input');
    }
    if (!lists.every((list) => list !== undefined)) return null;
    const lengths = lists.map(({ length }) => length);
    const length = useLongestLength === true ? Math.max(...lengths) : Math.min(...lengths);
    return Array.from({ length }, (_, i) => lists.map((list, j) => (i < list.length ? list[i] : (others[j] ?? null))));
  },
  $setUnion: ofSets((sets) => [...new Map(sets.flatMap((set) => [...set])).values()]),
  $setIntersection: ofSets(([first, ...others]) =>
    [...(first ?? [])].filter(([key]) => others.every((set) => set.has(key))).map(([, value]) => value),
  ),
  $setDifference: ofSets(([first, second]) =>
    [...(first as Elements)].filter(([key]) => !second?.has(key)).map(([, value]) => value),
  ),
  $setEquals: ofSets(
    ([first, ...others]) =>
      others.every((set) => set.size === first?.size && [...set.keys()].every((key) => first.has(key))),
    17044,
  ),
  $setIsSubset: ofSets(([first, second]) => [...(first as Elements).keys()].every((key) => second?.has(key)), 17046),
};

type Elements = Map<string, unknown>;

/** @param code of the error where something is no array; without it, null is nothing */
function ofSets(calculate: (sets: Elements[]) => unknown, code?: number): Expression {
  return (document, operand, options) => {
    const lists = (operand as unknown[]).map((one) => evalExpr(document, one, options));
    if (code === undefined && lists.some((list) => list === undefined || list === null)) return null;
    const sets = lists.map((list): Elements => {
      if (!Array.isArray(list))
        throw new CommandError(code ?? 17043, `A set must be an array, and is ${typeName(list)}`);
      return new Map(list.map((value) => [identity(value, foldOf(options)), value]));
    });
    return calculate(sets);
  };
}

/** undefined: there is nothing. @throws CommandError 16883 for what is no array */
function elementsOf(name: string, document: Document, input: unknown, options: Options): unknown[] | undefined {
  const value = evalExpr(document, input, options);
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value;
  throw new CommandError(16883, `input to ${name} must be an array not ${typeName(value)}`);
}
