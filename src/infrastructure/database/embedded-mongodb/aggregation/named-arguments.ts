import { CommandError } from '../command-error.js';
import { isDocument } from '../values/document.js';
import type { Expression } from './expression.js';

/** What operators take by name; a question mark stands behind what may be left out. */
const NAMED_ARGUMENTS: Record<string, string> = {
  $cond: 'if then else',
  $dateFromString: 'dateString format? timezone? onError? onNull?',
  $dateToString: 'date format? timezone? onNull?',
  $filter: 'input cond as? limit?',
  $let: 'vars in',
  $ltrim: 'input chars?',
  $map: 'input in as?',
  $reduce: 'input initialValue in',
  $regexFind: 'input regex options?',
  $regexFindAll: 'input regex options?',
  $regexMatch: 'input regex options?',
  $replaceAll: 'input find replacement',
  $replaceOne: 'input find replacement',
  $rtrim: 'input chars?',
  $sortArray: 'input sortBy',
  $switch: 'branches default?',
  $trim: 'input chars?',
  $zip: 'inputs useLongestLength? defaults?',
};

/** The operator, but that it refuses an argument it does not know, or misses one: mingo takes that for nothing. */
export function withNamedArguments(operator: string, evaluate: Expression): Expression {
  const known = NAMED_ARGUMENTS[operator]?.split(' ') ?? [];
  if (known.length === 0) return evaluate;
  const required = known.filter((name) => !name.endsWith('?'));
  const names = new Set(known.map((name) => name.replace('?', '')));
  return (document, operand, options) => {
    if (isDocument(operand)) {
      const unknown = Object.keys(operand).find((name) => !names.has(name));
      if (unknown !== undefined) throw new CommandError(9, `Unrecognized parameter to ${operator}: ${unknown}`);
      const missing = required.find((name) => !(name in operand));
      if (missing !== undefined) throw new CommandError(9, `Missing '${missing}' parameter to ${operator}`);
    } else if (!Array.isArray(operand) || operator !== '$cond') {
      throw new CommandError(9, `${operator} only supports an object as its argument`);
    }
    return evaluate(document, operand, options);
  };
}
