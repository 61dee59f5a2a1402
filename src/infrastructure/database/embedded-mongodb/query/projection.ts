import { evaluate, promote } from '../aggregation/expressions.js';
import { CommandError } from '../command-error.js';
import { assign, isDocument, isOperatorDocument, own, splitPath, type Document } from '../values/document.js';
import { toInteger } from '../values/numbers.js';
import { isNumber } from '../values/types.js';
import { elementTest, type FilterOptions } from './filter.js';
import { isTruthy } from './operators.js';

export type Projection = (document: Document) => Document;

export interface ProjectionOptions extends FilterOptions {
  /** Index of the array element that made the filter match, for `{'list.$': 1}`. */
  matchedIndex?: (document: Document, arrayPath: string) => number | undefined;
  /** Aggregation's $project has no $slice, $elemMatch or $ of its own: there they are expressions. */
  isStage?: boolean;
}

type Rule = true | false | ((value: unknown, document: Document) => unknown);
type Tree = Map<string, Tree | Rule>;

/** Compiles the projection of a find or a $project. @throws CommandError 31253/31254 when it mixes the two kinds */
export function compileProjection(specification: Document, options: ProjectionOptions = {}): Projection {
  const tree: Tree = new Map();
  let including: boolean | undefined;
  let keepsId = true;
  for (const [path, value] of flatten(specification)) {
    if (path === '_id' && isFlag(value)) {
      keepsId = isTruthy(value);
      if (keepsId && Object.keys(specification).length === 1) including = true;
      continue;
    }
    const shapesOnly = isOperatorDocument(value) && '$slice' in value && !options.isStage;
    if (!shapesOnly) including = checkKind(including, !isFlag(value) || isTruthy(value), path);
    const positional = path.endsWith('.$') && !options.isStage;
    addRule(tree, positional ? path.slice(0, -2) : path, ruleFor(path, value, positional, options));
  }
  const isInclusion = including ?? false;
  if (tree.get('_id') === undefined && (!keepsId || isInclusion)) tree.set('_id', keepsId);
  return (document) => apply(document, tree, isInclusion, document) as Document;
}

function checkKind(known: boolean | undefined, isInclusion: boolean, path: string): boolean {
  if (known === undefined || known === isInclusion) return isInclusion;
  const kinds = isInclusion ? 'inclusion on field' : 'exclusion on field';
  const projection = isInclusion ? 'exclusion projection' : 'inclusion projection';
  throw new CommandError(isInclusion ? 31253 : 31254, `Cannot do ${kinds} ${path} in ${projection}`);
}

/** {a: {b: 1}} means {'a.b': 1}, as long as the inner document is not an expression. */
function* flatten(specification: Document, prefix = ''): Iterable<[string, unknown]> {
  for (const [key, value] of Object.entries(specification)) {
    const path = prefix + key;
    if (isDocument(value) && !isOperatorDocument(value) && Object.keys(value).length > 0) {
      yield* flatten(value, `${path}.`);
    } else {
      yield [path, value];
    }
  }
}

function addRule(tree: Tree, path: string, rule: Rule): void {
  const parts = splitPath(path);
  const last = parts.pop() as string;
  let node = tree;
  for (const part of parts) {
    const next = node.get(part) ?? new Map<string, Tree | Rule>();
    if (!(next instanceof Map)) throw new CommandError(31250, `Path collision at ${path}`);
    node.set(part, next);
    node = next;
  }
  if (node.get(last) instanceof Map) throw new CommandError(31250, `Path collision at ${path}`);
  node.set(last, rule);
}

function ruleFor(path: string, value: unknown, positional: boolean, options: ProjectionOptions): Rule {
  if (positional) return positionalRule(path.slice(0, -2), options);
  if (isFlag(value)) return isTruthy(value);
  if (isOperatorDocument(value) && !options.isStage) {
    const name = Object.keys(value)[0];
    const isFindSlice = name === '$slice' && (isNumber(value[name]) || [value[name]].flat().every(isNumber));
    if (isFindSlice) return sliceRule(value['$slice']);
    if (name === '$elemMatch') return elementRule(value['$elemMatch'], options);
    if (name === '$meta') throw new CommandError(2, '$meta is not supported by the embedded store: use MongoDB for it');
  }
  const expression = promote(value);
  const calculate = options.evaluate ?? evaluate;
  return (_value, document) => calculate(expression, document);
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean' || isNumber(value);
}

function positionalRule(arrayPath: string, options: ProjectionOptions): Rule {
  return (value, document) => {
    if (!Array.isArray(value)) return value;
    const index = options.matchedIndex?.(document, arrayPath);
    if (index === undefined) {
      throw new CommandError(
        51246,
        "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
      );
    }
    return value.slice(index, index + 1);
  };
}

function sliceRule(operand: unknown): Rule {
  const [first, count] = [operand].flat().map((number) => toInteger(number, '$slice'));
  const start = first ?? 0;
  if (count !== undefined && count <= 0) throw new CommandError(28724, '$slice limit must be positive');
  return (value) => {
    if (!Array.isArray(value)) return value;
    if (count === undefined) return start >= 0 ? value.slice(0, start) : value.slice(start);
    const from = start >= 0 ? start : Math.max(0, value.length + start);
    return value.slice(from, from + count);
  };
}

function elementRule(operand: unknown, options: ProjectionOptions): Rule {
  const matches = elementTest(operand, options);
  return (value) => {
    const found = Array.isArray(value) ? value.filter(matches).slice(0, 1) : [];
    return found.length > 0 ? found : undefined;
  };
}

function apply(value: unknown, tree: Tree, including: boolean, root: Document): unknown {
  if (Array.isArray(value)) {
    const kept = including ? value.filter((element) => isDocument(element) || Array.isArray(element)) : value;
    return kept.map((element) => apply(element, tree, including, root));
  }
  if (!isDocument(value)) return including ? undefined : value;
  const result: Document = {};
  for (const key of Object.keys(value)) {
    const rule = tree.get(key);
    const field = own(value, key);
    if (rule === undefined ? !including : rule === true) assign(result, key, field);
    else if (typeof rule === 'function') put(result, key, rule(field, root));
    else if (rule instanceof Map) put(result, key, apply(field, rule, including, root));
  }
  addComputed(result, value, tree, root);
  return result;
}

/** Computed fields that the document does not have come after those it has. */
function addComputed(result: Document, source: Document, tree: Tree, root: Document): void {
  for (const [key, rule] of tree) {
    if (Object.hasOwn(source, key)) continue;
    if (typeof rule === 'function') put(result, key, rule(undefined, root));
    else if (rule instanceof Map) {
      const inner: Document = {};
      addComputed(inner, {}, rule, root);
      if (Object.keys(inner).length > 0) put(result, key, inner);
    }
  }
}

function put(result: Document, key: string, value: unknown): void {
  if (value !== undefined) assign(result, key, value);
}
