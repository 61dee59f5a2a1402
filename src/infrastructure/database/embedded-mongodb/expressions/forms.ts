import { CommandError } from '../command-error.js';
import { typeName } from '../values/bson-types.js';
import { isDocument } from '../values/document.js';
import { isTruthy, toInteger } from '../values/numbers.js';
import { elementSortKey, sorted } from '../values/sort-key.js';
import { argumentsOf, isNothing, ordered, variableName, type Expression, type Operators } from './expression.js';

/** Operators that evaluate some arguments only if needed, or with variables that they bind. */
export const FORMS: Operators = {
  $literal: (operand) => () => operand,
  $const: (operand) => () => operand,
  $and: (operand, { compile }) => {
    const parts = [operand].flat().map((one) => compile(one));
    return (document, variables) => parts.every((part) => isTruthy(part(document, variables)));
  },
  $or: (operand, { compile }) => {
    const parts = [operand].flat().map((one) => compile(one));
    return (document, variables) => parts.some((part) => isTruthy(part(document, variables)));
  },
  $not: ordered([1, 1], ([value]) => !isTruthy(value)),
  $cond: (operand, { compile }, name) => {
    if (Array.isArray(operand) && operand.length !== 3) throw countError(name, 'exactly 3');
    const byName = Array.isArray(operand) ? undefined : argumentsOf(name, operand, 'if then else');
    const given = byName ? [byName.if, byName.then, byName.else] : (operand as unknown[]);
    const [condition, yes, no] = given.map((one) => compile(one)) as [Expression, Expression, Expression];
    return (document, variables) => (isTruthy(condition(document, variables)) ? yes : no)(document, variables);
  },
  $ifNull: (operand, { compile }, name) => {
    if (!Array.isArray(operand) || operand.length < 2) throw countError(name, 'at least 2');
    const values = operand.map((one) => compile(one));
    return (document, variables) => {
      let found: unknown;
      for (const value of values) {
        found = value(document, variables);
        if (!isNothing(found)) return found;
      }
      return found;
    };
  },
  $switch: (operand, { compile }, name) => {
    const { branches, ...others } = argumentsOf(name, operand, 'branches default?');
    if (!Array.isArray(branches) || branches.length === 0) {
      throw new CommandError(40068, "$switch requires an array of at least one branch as its 'branches'");
    }
    const compiled = branches.map((branch) => {
      const given = argumentsOf('$switch, of each branch', branch, 'case then');
      return { test: compile(given['case']), result: compile(given['then']) };
    });
    const other = 'default' in others ? compile(others.default) : undefined;
    return (document, variables) => {
      const result = compiled.find(({ test }) => isTruthy(test(document, variables)))?.result ?? other;
      if (result) return result(document, variables);
      throw new CommandError(40066, '$switch found no branch for what it was given, and has no default');
    };
  },
  $let: (operand, { compile }, name) => {
    const { vars, in: body } = argumentsOf(name, operand, 'vars in');
    if (!isDocument(vars)) throw new CommandError(16874, 'invalid parameter: expected an object (vars)');
    const bound = Object.entries(vars).map(([one, value]) => [variableName(one), compile(value)] as const);
    const inner = compile(body, Object.keys(vars));
    return (document, variables) => {
      const values = bound.map(([one, value]) => [one, value(document, variables)]);
      return inner(document, { ...variables, ...Object.fromEntries(values) });
    };
  },
  $map: (operand, { compile }, name) => {
    const { input, in: body, as = 'this' } = argumentsOf(name, operand, 'input in as?');
    const variable = variableName(String(as));
    const inner = compile(body, [variable]);
    return overElements(name, compile(input), (elements, document, variables) =>
      elements.map((one) => inner(document, { ...variables, [variable]: one }) ?? null),
    );
  },
  $filter: (operand, { compile }, name) => {
    const { input, cond, as = 'this', limit } = argumentsOf(name, operand, 'input cond as? limit?');
    const variable = variableName(String(as));
    const [inner, most] = [compile(cond, [variable]), compile(limit)];
    return overElements(name, compile(input), (elements, document, variables) => {
      const count = most(document, variables) ?? Infinity;
      if (count !== Infinity && toInteger(count, '$filter limit', 327391) < 1) {
        throw new CommandError(327392, '$filter: limit must be greater than 0');
      }
      const found = elements.filter((one) => isTruthy(inner(document, { ...variables, [variable]: one })));
      return found.slice(0, Number(count));
    });
  },
  $reduce: (operand, { compile }, name) => {
    const { input, initialValue, in: body } = argumentsOf(name, operand, 'input initialValue in');
    const [initial, inner] = [compile(initialValue), compile(body, ['value', 'this'])];
    return overElements(name, compile(input), (elements, document, variables) =>
      elements.reduce<unknown>(
        (value, element) => inner(document, { ...variables, value, this: element }),
        initial(document, variables),
      ),
    );
  },
  $sortArray: (operand, { compile, fold }, name) => {
    const { input, sortBy } = argumentsOf(name, operand, 'input sortBy');
    const keyOf = elementSortKey(sortBy, fold);
    if (!keyOf) throw new CommandError(2942504, '$sortArray takes 1, -1 or a document of fields');
    return overElements(name, compile(input), (elements) => sorted(elements, keyOf));
  },
};

/** What becomes of the elements of an array; null if there is none. @throws CommandError 16883 for anything else than an array */
function overElements(
  name: string,
  list: Expression,
  change: (elements: unknown[], ...at: Parameters<Expression>) => unknown,
): Expression {
  return (document, variables) => {
    const value = list(document, variables);
    if (isNothing(value)) return null;
    if (Array.isArray(value)) return change(value, document, variables);
    throw new CommandError(16883, `input to ${name} must be an array not ${typeName(value)}`);
  };
}

function countError(name: string, takes: string): CommandError {
  return new CommandError(16020, `Expression ${name} takes ${takes} arguments.`);
}
