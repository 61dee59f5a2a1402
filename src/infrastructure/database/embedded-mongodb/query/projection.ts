import { compileExpression } from '../expressions/compile.js';
import type { Scope } from '../expressions/expression.js';
import { CommandError, unsupported } from '../command-error.js';
import { assign, isDocument, fieldPath, isOperatorDocument, own, sliced, type Document } from '../values/document.js';
import { isTruthy, toInteger } from '../values/numbers.js';
import { isNumber } from '../values/bson-types.js';
import { elementTest, isElementMatch } from './filter.js';

export type Projection = (document: Document) => Document;

export interface ProjectionOptions {
  /** Index of the array element that made the filter match, for `{'list.$': 1}`. */
  matchedIndex?: (document: Document) => number | undefined;
  /** Aggregation's $project has no $slice, $elemMatch or $ of its own: there they are expressions. */
  isStage?: boolean;
}

/** What becomes of a field where it stands. */
type Shape = (value: unknown, document: Document) => unknown;
/** What is calculated comes after the fields that a document has. */
interface Computed {
  compute(document: Document): unknown;
}
type Rule = boolean | Shape | Computed;
type Tree = Map<string, Tree | Rule>;

/** Compiles the projection of a find or a $project. @throws CommandError 31253/31254 when it mixes the two kinds */
export function compileProjection(specification: Document, scope: Scope, options: ProjectionOptions = {}): Projection {
  const tree: Tree = new Map();
  let isInclusion: boolean | undefined;
  let positional: string | undefined;
  for (const [path, value] of flatten(specification)) {
    const array = options.isStage ? undefined : positionalArray(path, value);
    if (array && positional)
      throw new CommandError(31276, 'Cannot specify more than one positional projection per query.');
    positional ??= array;
    if (isDecisive(path, value, options)) isInclusion = agreedKind(isInclusion, includes(value), path);
    addRule(tree, array ?? path, array ? true : ruleFor(value, scope, options));
  }
  const shapes = options.isStage ? [] : Object.values(specification);
  // Beside a $slice, which leaves the other fields where they are, $elemMatch does so too.
  isInclusion ??= tree.get('_id') === true || (shapes.some(isElementMatch) && !shapes.some(isSlice));
  if (isInclusion && !tree.has('_id')) tree.set('_id', true);
  const arrayPath = positional?.split('.');
  return (document) => {
    const projected = apply(document, tree, isInclusion, document) as Document;
    return arrayPath ? onlyMatched(projected, arrayPath, () => options.matchedIndex?.(document)) : projected;
  };
}

function includes(value: unknown): boolean {
  return !isFlag(value) || isTruthy(value);
}

/**
 * Whether a field says of which kind the projection is. The id may be left out of an inclusion; wanted, it says what the others do
 * not.
 */
function isDecisive(path: string, value: unknown, { isStage }: ProjectionOptions): boolean {
  const isShape = !isStage && (isSlice(value) || isElementMatch(value));
  return !isShape && (path !== '_id' || !isFlag(value));
}

/** @throws CommandError 31253/31254 if what the fields before want is the other kind */
function agreedKind(before: boolean | undefined, isInclusion: boolean, path: string): boolean {
  if (before === undefined || before === isInclusion) return isInclusion;
  throw isInclusion
    ? new CommandError(31253, `Cannot do inclusion on field ${path} in exclusion projection`)
    : new CommandError(31254, `Cannot do exclusion on field ${path} in inclusion projection`);
}

/** @returns the path of the array of which `path`, such as `list.$`, wants the element that made the filter match */
function positionalArray(path: string, value: unknown): string | undefined {
  if (!/\.\$(\.|$)/.test(path)) return undefined;
  if (!includes(value)) throw new CommandError(31395, 'positional projection cannot be used with exclusion');
  if (!path.endsWith('.$')) throw new CommandError(31394, 'A positional projection may only be used at the end');
  if (!isFlag(value)) throw new CommandError(31271, 'positional projection cannot be used with an expression');
  return path.slice(0, -2);
}

/** {a: {b: 1}} means {'a.b': 1}, as long as the inner document is not an expression. */
export function* flatten(specification: Document, prefix = ''): Iterable<[string, unknown]> {
  for (const [key, value] of Object.entries(specification)) {
    const isNested = isDocument(value) && !isOperatorDocument(value) && Object.keys(value).length > 0;
    if (isNested) yield* flatten(value, `${prefix}${key}.`);
    else yield [prefix + key, value];
  }
}

function addRule(tree: Tree, path: string, rule: Rule): void {
  const parts = fieldPath(path);
  const last = parts.pop() as string;
  let node = tree;
  for (const part of parts) {
    const next = node.get(part) ?? (new Map() as Tree);
    if (!(next instanceof Map)) throw new CommandError(31250, `Path collision at ${path}`);
    node.set(part, next);
    node = next;
  }
  if (node.has(last)) throw new CommandError(31250, `Path collision at ${path}`);
  node.set(last, rule);
}

function ruleFor(value: unknown, scope: Scope, options: ProjectionOptions): Rule {
  if (isFlag(value)) return isTruthy(value);
  if (isDocument(value) && Object.keys(value).length === 0) {
    throw new CommandError(51270, 'An empty sub-projection is not a valid value');
  }
  if (isOperatorDocument(value) && !options.isStage) {
    const { $slice, $elemMatch } = value;
    if (isSlice(value)) return sliceRule($slice);
    if ('$elemMatch' in value) return elementRule($elemMatch, scope);
    if ('$meta' in value) throw unsupported('$meta', 2);
  }
  const expression = compileExpression(value, scope);
  return { compute: (document) => expression(document, scope.variables) };
}

/** With a number or two; anything else is an expression. */
function isSlice(value: unknown): boolean {
  if (!isOperatorDocument(value) || !('$slice' in value)) return false;
  const { $slice } = value;
  return isNumber($slice) || (Array.isArray($slice) && $slice.every(isNumber));
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean' || isNumber(value);
}

/** With the first array on the path cut down to the element that matched. */
function onlyMatched(value: Document, [name = '', ...rest]: string[], matched: () => number | undefined): Document {
  const field = own(value, name);
  if (isDocument(field)) return { ...value, [name]: rest.length > 0 ? onlyMatched(field, rest, matched) : field };
  if (!Array.isArray(field)) return value;
  const index = matched();
  if (index === undefined) {
    throw new CommandError(51246, "positional operator '.$' couldn't find a matching element in the array");
  }
  if (index >= field.length) throw new CommandError(51247, "positional operator '.$' element mismatch");
  return { ...value, [name]: [field[index]] };
}

function sliceRule(operand: unknown): Rule {
  const [start = 0, count] = [operand].flat().map((number) => toInteger(number, '$slice'));
  if (count !== undefined && count <= 0) throw new CommandError(28724, '$slice limit must be positive');
  return (value) => (Array.isArray(value) ? sliced(value, start, count) : value);
}

function elementRule(operand: unknown, scope: Scope): Rule {
  const matches = elementTest(operand, scope);
  return (value) => {
    const found = Array.isArray(value) ? value.filter(matches).slice(0, 1) : [];
    return found.length > 0 ? found : undefined;
  };
}

function apply(value: unknown, tree: Tree, including: boolean, root: Document): unknown {
  if (Array.isArray(value)) {
    const projections = value.map((element) => apply(element, tree, including, root));
    return projections.filter((element) => element !== undefined);
  }
  if (!isDocument(value)) return including ? computedAt(tree, root) : value;
  const result: Document = {};
  for (const key of Object.keys(value)) {
    const rule = tree.get(key) ?? !including;
    if (!isComputed(rule)) put(result, key, projected(own(value, key), rule, including, root));
  }
  addComputed(result, value, tree, root);
  return result;
}

/** What is computed below a path takes the place of a value that has nothing below it. */
function computedAt(tree: Tree, root: Document): Document | undefined {
  const computed: Document = {};
  addComputed(computed, {}, tree, root);
  return hasComputed(tree) ? computed : undefined;
}

function hasComputed(tree: Tree): boolean {
  return [...tree.values()].some((rule) => (rule instanceof Map ? hasComputed(rule) : isComputed(rule)));
}

function isComputed(rule: Tree | Rule): rule is Computed {
  return typeof rule === 'object' && !(rule instanceof Map);
}

function projected(field: unknown, rule: Tree | boolean | Shape, including: boolean, root: Document): unknown {
  if (typeof rule === 'boolean') return rule ? field : undefined;
  return rule instanceof Map ? apply(field, rule, including, root) : rule(field, root);
}

function addComputed(result: Document, source: Document, tree: Tree, root: Document): void {
  for (const [key, rule] of tree) {
    if (isComputed(rule)) put(result, key, rule.compute(root));
    else if (rule instanceof Map && !Object.hasOwn(source, key)) put(result, key, computedAt(rule, root));
  }
}

function put(result: Document, key: string, value: unknown): void {
  if (value !== undefined) assign(result, key, value);
}
