import type { Scope } from '../expressions/expression.js';
import { isRegExp } from '../values/bson-types.js';
import { isDocument, own, type Document } from '../values/document.js';
import { isTruthy } from '../values/numbers.js';
import { compileFilter, compileValueTest, elementTest, isConjunction, isFilter, operatorsOf } from './filter.js';

interface Condition {
  path: string;
  /** With its operand, and its options if it has some. */
  operators: Document;
  /** When it is evaluated. */
  rank: number;
}

const BITS = ['$bitsAllSet', '$bitsAllClear', '$bitsAnySet', '$bitsAnyClear'];
const COMPARISONS = ['$eq', '$lte', '$lt', '$gt', '$gte'];
/** MongoDB evaluates conditions in this order, those of a kind by path. Others say nothing of an element. */
const ORDER = ['$elemMatch', ...COMPARISONS, '$regex', '$mod', '$exists', '$in', ...BITS, '$type'];

/**
 * Which element of an array made a document match a filter: what `$` in an update or a projection stands for. It is that
 * of the condition which MongoDB evaluates last, whatever array it is about, and in the outermost array on its path.
 */
export function matchedIndex(filter: Document, document: Document, scope: Scope): number | undefined {
  const all = [...conditions(filter)].sort(
    (a, b) => a.rank - b.rank || (a.path < b.path ? -1 : Number(a.path > b.path)),
  );
  let last: number | undefined;
  for (const condition of all) last = indexFor(condition, document, scope) ?? last;
  return last;
}

function indexFor({ path, operators }: Condition, document: Document, scope: Scope): number | undefined {
  const parts = path.split('.');
  let holder: unknown = document;
  for (let i = 0; i <= parts.length; i++) {
    const part = parts[i];
    if (Array.isArray(holder)) {
      const index = firstMatch(holder, parts.slice(i).join('.'), operators, scope);
      if (index >= 0) return index;
    }
    if (part === undefined || !(Array.isArray(holder) || isDocument(holder))) return undefined;
    holder = own(holder as Document, part);
  }
  return undefined;
}

function firstMatch(array: unknown[], rest: string, operators: Document, scope: Scope): number {
  if (rest !== '') {
    const test = compileFilter({ [rest]: operators }, scope);
    return array.findIndex((element) => isDocument(element) && test(element));
  }
  const { $elemMatch } = operators;
  return array.findIndex($elemMatch ? elementTest($elemMatch, scope) : compileValueTest(operators, scope));
}

function* conditions(filter: Document): Iterable<Condition> {
  for (const [key, operand] of Object.entries(filter)) {
    if (isConjunction(key, operand)) {
      for (const part of operand) yield* conditions(part);
    } else if (key === '$or') {
      yield* sameField(operand as Document[]);
    } else if (!key.startsWith('$')) {
      yield* ofField(key, operatorsOf(operand));
    }
  }
}

function* ofField(path: string, { $options, ...operators }: Document): Iterable<Condition> {
  for (const [operator, operand] of Object.entries(operators)) {
    const isList = Array.isArray(operand) && (operator === '$all' || (operator === '$in' && operand.length === 1));
    if (isList) {
      for (const one of operand) yield* ofField(path, operatorsOf(one));
    } else if (operator === '$regex' && $options !== undefined) {
      yield conditionOn(path, operator, { $options, $regex: operand });
    } else if (ORDER.includes(operator) && !(operator === '$exists' && !isTruthy(operand))) {
      yield conditionOn(path, operator, { [operator]: operand });
    }
  }
}

function conditionOn(path: string, operator: string, operators: Document): Condition {
  // Elements that are asked for fields come before those that are asked for themselves.
  const isOfFields = operator === '$elemMatch' && isFilter(operators.$elemMatch as Document);
  return { path, operators, rank: isOfFields ? -1 : ORDER.indexOf(operator) };
}

/** Values and patterns for one field are an `$in` to MongoDB. Of other alternatives it keeps no element. */
function* sameField(alternatives: Document[]): Iterable<Condition> {
  const [path = ''] = Object.keys(alternatives[0] ?? {});
  const values = alternatives.flatMap((one) => (Object.keys(one).join() === path ? valueOf(one[path]) : []));
  if (!path.startsWith('$') && values.length === alternatives.length) yield conditionOn(path, '$in', { $in: values });
}

function valueOf(operand: unknown): unknown[] {
  const { $eq, $regex = $eq, ...others } = operatorsOf(operand);
  const isValue = Object.keys(others).length === 0 && ($eq !== undefined || isRegExp($regex));
  return isValue ? [$regex] : [];
}
