import type { Scope } from '../expressions/expression.js';
import { isDocument, isOperatorDocument, type Document } from '../values/document.js';
import { compileFilter, compileValueTest, elementTest, isElementMatch, operatorsOf } from './filter.js';
import { leaves } from '../values/leaves.js';

/**
 * Which element of an array made a document match a filter: what `$` in an update or a projection stands for.
 * Conditions on the array itself count before those on other arrays of the document.
 */
export function matchedIndex(
  filter: Document,
  document: Document,
  arrayPath: string,
  scope: Scope,
): number | undefined {
  let other: number | undefined;
  for (const [path, operand] of conditions(filter, document, scope)) {
    const parts = path.split('.');
    for (let length = parts.length; length > 0; length--) {
      const prefix = parts.slice(0, length).join('.');
      const [array] = leaves(document, parts.slice(0, length));
      if (!Array.isArray(array)) continue;
      const index = firstMatch(array, parts.slice(length).join('.'), operand, scope);
      if (index >= 0 && prefix === arrayPath) return index;
      if (index >= 0) other ??= index;
    }
  }
  return other;
}

function firstMatch(array: unknown[], rest: string, operand: unknown, scope: Scope): number {
  // What an element is not says nothing of which one it is.
  if (isOperatorDocument(operand) && Object.keys(operand).every((name) => ['$ne', '$nin', '$not'].includes(name)))
    return -1;
  // All of these are met, the last one last.
  if (isOperatorDocument(operand) && Array.isArray(operand.$all))
    return firstMatch(array, rest, operand.$all.at(-1), scope);
  if (rest !== '') {
    const test = compileFilter({ [rest]: operand }, scope);
    return array.findIndex((element) => isDocument(element) && test(element));
  }
  if (isElementMatch(operand)) return array.findIndex(elementTest(operand.$elemMatch, scope));
  return array.findIndex(compileValueTest(operatorsOf(operand), scope));
}

function* conditions(filter: Document, document: Document, scope: Scope): Iterable<[string, unknown]> {
  for (const [key, operand] of Object.entries(filter)) {
    if (key === '$and' && Array.isArray(operand)) {
      for (const part of operand) yield* conditions(part as Document, document, scope);
    } else if (key === '$or' && Array.isArray(operand)) {
      const matching = operand.find((part) => compileFilter(part, scope)(document));
      if (matching) yield* conditions(matching as Document, document, scope);
    } else if (!key.startsWith('$')) {
      yield [key, operand];
    }
  }
}
