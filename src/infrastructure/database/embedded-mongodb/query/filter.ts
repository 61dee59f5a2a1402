import { BSONRegExp } from 'bson';
import { compileExpression } from '../expressions/compile.js';
import { plainScope, type Scope } from '../expressions/expression.js';
import { CommandError, unsupported } from '../command-error.js';
import { isDocument, isOperatorDocument, type Document } from '../values/document.js';
import { isRegExp } from '../values/bson-types.js';
import { isTruthy } from '../values/numbers.js';
import { byIdentity } from '../values/order.js';
import { toFlags } from '../values/regex.js';
import { filteredLeaves } from '../values/leaves.js';
import { arrayOf, compileOperator, equality, not, some, type LeavesTest } from './operators.js';

export type Predicate = (document: Document) => boolean;

/**
 * Compiles a query filter.
 * @throws CommandError for operators that do not exist or that only MongoDB has, even if no document is ever tested
 */
export function compileFilter(filter: unknown, scope: Scope = plainScope()): Predicate {
  if (!isDocument(filter)) throw new CommandError(14, 'Expected the filter to be an object');
  return everyOne(Object.keys(filter).map((key) => compileEntry(key, filter[key], scope)));
}

function everyOne(tests: Predicate[]): Predicate {
  return tests.length === 1 ? (tests[0] as Predicate) : (document) => tests.every((test) => test(document));
}

/** Tests one value, not a document, against the operators of a field. */
export function compileValueTest(operators: Document, scope: Scope): (value: unknown) => boolean {
  const test = compileOperators(operators, scope);
  return (value) => test([value], true);
}

/** The test that `$elemMatch` and `$pull` make on each element. */
export function elementTest(operand: unknown, scope: Scope): (element: unknown) => boolean {
  if (!isDocument(operand)) throw new CommandError(2, '$elemMatch needs an Object');
  if (!isFilter(operand)) return compileValueTest(operand, scope);
  const matches = compileFilter(operand, scope);
  // Elements that are arrays are matched like documents whose fields are the indexes.
  return (element) => (Array.isArray(element) ? matches({ ...element }) : isDocument(element) && matches(element));
}

/** Whether it is about the fields of an element, and not about the element itself. */
export function isFilter(operand: Document): boolean {
  const [first = ''] = Object.keys(operand);
  return !isOperatorDocument(operand) || ['$and', '$or', '$nor', '$where'].includes(first);
}

/** Whether an entry of a filter stands for parts of which all have to be met: of alternatives that are the same, too. */
export function isConjunction(key: string, operand: unknown): operand is Document[] {
  return key === '$and' || (key === '$or' && Array.isArray(operand) && byIdentity(operand).size === 1);
}

function compileEntry(key: string, operand: unknown, scope: Scope): Predicate {
  const parts = (): Predicate[] => {
    if (Array.isArray(operand) && operand.length > 0 && operand.every(isDocument)) {
      return operand.map((filter) => compileFilter(filter, scope));
    }
    throw new CommandError(2, `${key} argument must be a non-empty array of objects`);
  };
  switch (key) {
    case '$and':
      return everyOne(parts());
    case '$or':
    case '$nor': {
      const tests = parts();
      const isWanted = key === '$or';
      return (document) => tests.some((test) => test(document)) === isWanted;
    }
    case '$expr': {
      const expression = compileExpression(operand, scope);
      return (document) => isTruthy(expression(document, scope.variables));
    }
    case '$comment':
      return () => true;
    case '$where':
    case '$text':
    case '$jsonSchema':
    case '$sampleRate':
      throw unsupported(`Query operator ${key}`, 2);
    default: {
      if (isOperatorDocument({ [key]: operand })) throw new CommandError(2, `unknown top level operator: ${key}`);
      const path = key.split('.');
      const test = compileOperators(operatorsOf(operand), scope);
      return (document) => test(filteredLeaves(document, path));
    }
  }
}

/** {a: 1} means {a: {$eq: 1}}, {a: /b/} means {a: {$regex: /b/}}. */
export function operatorsOf(operand: unknown): Document {
  if (isOperatorDocument(operand)) return operand;
  return isRegExp(operand) ? { $regex: operand } : { $eq: operand };
}

function compileOperators(operators: Document, scope: Scope): LeavesTest {
  if ('$options' in operators && !('$regex' in operators)) throw new CommandError(2, '$options needs a $regex');
  const names = Object.keys(operators).filter((name) => name !== '$options');
  const tests = names.map((name): LeavesTest => {
    const operand = operators[name];
    if (name === '$regex') return some(equality(pattern(operators)));
    if (name === '$not') return negation(operand, scope);
    if (name === '$elemMatch') return elementMatch(operand, scope);
    if (name === '$all') return allTest(operand, scope);
    return compileOperator(name, operand, scope.fold);
  });
  return tests.length === 1 ? (tests[0] as LeavesTest) : everyTest(tests);
}

function everyTest(tests: LeavesTest[]): LeavesTest {
  return (found, isElement) => tests.every((test) => test(found, isElement));
}

/** @throws CommandError 51074 or 51075 for options of the expression and others before or behind it: MongoDB does not choose */
function pattern(operators: Document): BSONRegExp {
  const { $regex, $options = '' } = operators;
  const source = isRegExp($regex) ? $regex.pattern : $regex;
  if (typeof source !== 'string') throw new CommandError(2, '$regex has to be a string');
  if (typeof $options !== 'string') throw new CommandError(2, '$options has to be a string');
  const own = isRegExp($regex) ? $regex.options : '';
  const names = Object.keys(operators);
  const isBehind = names.indexOf('$options') > names.indexOf('$regex');
  if (own && ($options || isBehind)) {
    throw new CommandError(isBehind ? 51075 : 51074, 'options set in both $regex and $options');
  }
  const options = own || $options;
  // The constructor would refuse an unknown one with an error of its own.
  toFlags(options);
  return new BSONRegExp(source, options);
}

function negation(operand: unknown, scope: Scope): LeavesTest {
  const isUsable = isRegExp(operand) || isOperatorDocument(operand);
  if (!isUsable) throw new CommandError(2, '$not needs a regex or a document');
  return not(compileOperators(operatorsOf(operand), scope));
}

function elementMatch(operand: unknown, scope: Scope): LeavesTest {
  const matches = elementTest(operand, scope);
  return (found) => found.some((leaf) => arrayOf(leaf)?.some(matches));
}

export function isElementMatch(item: unknown): item is Document {
  return isDocument(item) && '$elemMatch' in item;
}

function allTest(operand: unknown, scope: Scope): LeavesTest {
  if (!Array.isArray(operand)) throw new CommandError(2, '$all needs an array');
  const tests = operand.map((item): LeavesTest => {
    if (isElementMatch(item) !== isElementMatch(operand[0])) {
      throw new CommandError(2, '$all/$elemMatch has to be consistent');
    }
    if (isElementMatch(item)) return elementMatch(item.$elemMatch, scope);
    if (isOperatorDocument(item)) throw new CommandError(2, 'no $ expressions in $all');
    return some(equality(item, scope.fold));
  });
  return tests.length > 0 ? everyTest(tests) : () => false;
}
