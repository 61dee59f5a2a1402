import type { Scope } from '../expressions/expression.js';
import { isArrayIndex, isDocument, own, type Document } from '../values/document.js';
import { isTruthy } from '../values/numbers.js';
import { compileFilter, compileValueTest, elementTest, operatorsOf } from './filter.js';

interface Condition {
  path: string;
  operator: string;
  /** With its operand, and its options if it has some. */
  operators: Document;
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
    (a, b) => ORDER.indexOf(a.operator) - ORDER.indexOf(b.operator) || (a.path < b.path ? -1 : Number(a.path > b.path)),
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
    if (Array.isArray(holder) && !(part !== undefined && isArrayIndex(part) && Number(part) < holder.length)) {
      const index = firstMatch(holder, parts.slice(i).join('.'), operators, scope);
      return index < 0 ? undefined : index;
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
    if (key === '$and' || (key === '$or' && Array.isArray(operand) && operand.length === 1)) {
      for (const part of operand as Document[]) yield* conditions(part);
    } else if (key === '$or') {
      yield* sameField(operand as Document[]);
    } else if (!key.startsWith('$')) {
      yield* ofField(key, operatorsOf(operand));
    }
  }
}

function* ofField(path: string, { $options, ...operators }: Document): Iterable<Condition> {
  for (const [operator, operand] of Object.entries(operators)) {
    if (operator === '$all' && Array.isArray(operand)) {
      for (const one of operand) yield* ofField(path, operatorsOf(one));
    } else if (operator === '$regex' && $options !== undefined) {
      yield { path, operator, operators: { $regex: operand, $options } };
    } else if (ORDER.includes(operator) && !(operator === '$exists' && !isTruthy(operand))) {
      yield { path, operator, operators: { [operator]: operand } };
    }
  }
}

/** Values of one field are an `$in` to MongoDB. Of other alternatives it keeps no element. */
function* sameField(alternatives: Document[]): Iterable<Condition> {
  const each = alternatives.map((part) => [...conditions(part)]);
  const paths = new Set(each.flat().map(({ path }) => path));
  const values = each.map(([first, another]) => (another ? undefined : valuesOf(first?.operators)));
  const [path] = paths;
  if (path !== undefined && paths.size === 1 && values.every(Array.isArray))
    yield { path, operator: '$in', operators: { $in: values.flat() } };
}

function valuesOf(operators: Document = {}): unknown {
  return '$eq' in operators ? [operators.$eq] : operators.$in;
}
