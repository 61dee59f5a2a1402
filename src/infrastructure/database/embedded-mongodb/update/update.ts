import { ObjectId } from 'bson';
import { compilePipeline } from '../aggregation/pipeline.js';
import { CommandError } from '../command-error.js';
import type { Scope } from '../expressions/expression.js';
import { isConjunction } from '../query/filter.js';
import { matchedIndex } from '../query/matched-index.js';
import {
  collisionOf,
  copy,
  isDocument,
  isOperatorDocument,
  own,
  splitPath,
  type Document,
} from '../values/document.js';
import { byIdentity, equal } from '../values/order.js';
import { Place } from '../values/place.js';
import { isRegExp } from '../values/bson-types.js';
import { OPERATORS, type Operator } from './operators.js';
import { PathResolver } from './positional.js';

export interface UpdateStatement {
  filter: Document;
  /** Operators, a whole new document, or an aggregation pipeline. */
  update: unknown;
  arrayFilters?: unknown;
  isMulti: boolean;
  now: Date;
}

/** Makes the new document of the old one, which it leaves alone; or of the seed of an upsert. */
export type Update = (document: Document, isInsert?: boolean) => Document;

/** @throws CommandError for unknown operators and conflicting paths */
export function compileUpdate(statement: UpdateStatement, scope: Scope): Update {
  const { update } = statement;
  if (Array.isArray(update)) {
    if (statement.arrayFilters) throw new CommandError(9, 'Cannot specify arrayFilters with a pipeline-style update');
    return pipelineUpdate(update, scope);
  }
  if (!isDocument(update)) throw new CommandError(9, 'Update argument must be either an object or an array');
  if (!isReplacement(update)) return operatorUpdate(statement, update, scope);
  if (statement.isMulti) throw new CommandError(9, 'multi update is not supported for replacement-style update');
  refuseDollars(update);
  return (document) => keepId(document, copy(update));
}

const PIPELINE_STAGES: unknown[] = ['$addFields', '$set', '$project', '$unset', '$replaceRoot', '$replaceWith'];

/** @throws CommandError for stages that are wrong, 72 for one that would make several documents of one, or none */
function pipelineUpdate(pipeline: unknown[], scope: Scope): Update {
  for (const stage of pipeline) {
    const name = isDocument(stage) ? Object.keys(stage)[0] : undefined;
    if (!PIPELINE_STAGES.includes(name))
      throw new CommandError(72, `${name} is not allowed to be used within an update`);
  }
  const run = compilePipeline(pipeline, { ...scope, sessions: new Map(), documentsOf: () => [] });
  return (document) => keepId(document, run([document])[0] as Document);
}

/** @throws CommandError 52 for fields that would look like operators in a document that is there already */
export function refuseDollars(document: Document): void {
  const dollar = Object.keys(document).find((name) => name.startsWith('$'));
  if (dollar === undefined) return;
  throw new CommandError(52, `The dollar ($) prefixed field '${dollar}' is not allowed in a replacement document`);
}

/** The document an upsert inserts: what the filter says by equality, then the update, `_id` first. */
export function upsertDocument({ filter, update }: UpdateStatement, change: Update): Document {
  const seed: Document = {};
  seedFrom(filter, seed, isReplacement(update));
  const { _id = new ObjectId(), ...rest } = change(seed, true);
  return { _id, ...rest };
}

export function isReplacement(update: unknown): update is Document {
  return isDocument(update) && !Object.keys(update)[0]?.startsWith('$');
}

/** @throws CommandError 66 when the result has another `_id`; one without any keeps that of the document */
export function keepId(document: Document, result: Document): Document {
  if (!('_id' in document)) return result;
  if ('_id' in result) refuseOtherId(document, result);
  const { _id: _unchanged, ...rest } = result;
  return { _id: document._id, ...rest };
}

function refuseOtherId(before: Document, after: Document): void {
  if (!('_id' in before) || equal(before._id, after._id)) return;
  throw new CommandError(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
}

/** They give no field to a document that there is already. */
const LEAVING = new Set([OPERATORS.$unset, OPERATORS.$setOnInsert]);

interface Step {
  path: string;
  operand: unknown;
  operator: Operator;
}

function operatorUpdate({ filter, arrayFilters, now }: UpdateStatement, update: Document, scope: Scope) {
  const steps = stepsOf(update);
  const dollar = steps.find(({ path, operator }) => path.startsWith('$') && !LEAVING.has(operator))?.path;
  checkSteps(steps, { ...scope, now });
  const paths = steps.map(({ path }) => path);
  const resolver = new PathResolver(paths, arrayFilters, scope);
  return (original: Document, isInsert = false): Document => {
    // A new document may have such a field.
    if (dollar && !isInsert) {
      throw new CommandError(52, `The dollar ($) prefixed field '${dollar}' is not allowed in an update`);
    }
    const document = copy(original);
    const matched = (): number | undefined => matchedIndex(filter, original, scope);
    const planned = steps.map((step) => ({ ...step, places: resolver.resolve(document, step.path, matched) }));
    refuseConflicts(planned.flatMap((step) => [...step.places.map(({ path }) => path), ...targetOf(step)]));
    const placeOf = (path: string): Place => resolver.resolve(document, path, matched)[0] as Place;
    for (const { places, operator, operand } of planned) {
      for (const place of places) operator(place, operand, { ...scope, now, isInsert, placeOf });
    }
    refuseOtherId(original, document);
    return document;
  };
}

function stepsOf(update: Document): Step[] {
  const steps = Object.entries(update).flatMap(([name, fields]) => {
    const operator = own(OPERATORS, name);
    if (!operator) throw new CommandError(9, `Unknown modifier: ${name}. Expected a valid update modifier or pipeline`);
    if (!isDocument(fields)) {
      throw new CommandError(9, `Modifiers operate on fields, not {${name}: ${JSON.stringify(fields)}}`);
    }
    return Object.entries(fields).map(([path, operand]) => ({ path, operand, operator }));
  });
  // New fields come in this order.
  return steps.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** What is wrong with an update is wrong whether or not a document is found: each step is tried on an empty one. */
function checkSteps(steps: Step[], scope: Scope & { now: Date }): void {
  for (const step of steps) {
    const { path, operand, operator } = step;
    const parts = splitPath(path);
    const targets = targetOf(step);
    const unnamed = [path, ...targets].find((one) => splitPath(one).includes(''));
    if (unnamed !== undefined) throw new CommandError(56, `The update path '${unnamed}' contains an empty field name`);
    if (targets.length > 0 && /(^|\.)\$/.test(`${path}.${targets[0]}`)) {
      throw new CommandError(2, 'The source and target field for $rename may not be dynamic');
    }
    if (parts.indexOf('$') !== parts.lastIndexOf('$')) {
      throw new CommandError(2, `Too many positional (i.e. '$') elements found in path '${path}'`);
    }
    const concrete = parts.map((part) => (part.startsWith('$') ? '0' : part));
    const place = new Place({}, concrete);
    // None is asked of but $rename, which finds nothing to move.
    operator(place, operand, { ...scope, isInsert: false, placeOf: () => place });
  }
  refuseConflicts(steps.flatMap((step) => [step.path, ...targetOf(step)]));
}

function targetOf({ operator, operand }: Step): string[] {
  return operator === OPERATORS.$rename ? [String(operand)] : [];
}

function refuseConflicts(paths: string[]): void {
  const [here, there] = collisionOf(paths) ?? [];
  if (here) throw new CommandError(40, `Updating the path '${here}' would create a conflict at '${there}'`);
}

/**
 * @param known paths that have a value already
 * @throws CommandError 54 for one with two values, 111 for a part of an `_id` that is to be kept whole
 */
function seedFrom(filter: Document, seed: Document, onlyId: boolean, known = new Map<string, unknown>()): void {
  for (const [key, operand] of Object.entries(filter)) {
    if (isConjunction(key, operand)) {
      for (const part of operand) seedFrom(part, seed, onlyId, known);
    } else if (!key.startsWith('$') && (!onlyId || /^_id(\.|$)/.test(key))) {
      for (const value of valuesRequired(operand)) {
        if (onlyId && key !== '_id')
          throw new CommandError(111, `the field '_id' must be exactly specified, not '${key}'`);
        if (known.has(key) && equal(known.get(key), value)) continue;
        if (collisionOf([...known.keys(), key])) {
          throw new CommandError(54, `cannot infer query fields to set, path '${key}' is matched twice`);
        }
        known.set(key, value);
        new Place(seed, splitPath(key)).set(copy(value));
      }
    }
  }
}

/** @throws CommandError 224 for `$expr`, which MongoDB does not allow there; the filter is one that has been compiled */
export function checkUpsertFilter(filter: Document): void {
  for (const [key, operand] of Object.entries(filter)) {
    if (key === '$expr') throw new CommandError(224, '$expr is not allowed in the query predicate for an upsert');
    if (['$and', '$or', '$nor'].includes(key)) (operand as Document[]).forEach(checkUpsertFilter);
  }
}

/** What a field has to be equal to: more than one value cannot be. */
function valuesRequired(operand: unknown): unknown[] {
  if (!isOperatorDocument(operand)) return isRegExp(operand) ? [] : [operand];
  const { $in, $all } = operand;
  const distinct = (list: unknown): unknown[] => (Array.isArray(list) ? [...byIdentity(list).values()] : []);
  const sought = distinct($in);
  const listed = [...(sought.length === 1 ? sought : []), ...distinct($all)];
  const values = listed.filter((value) => !isRegExp(value) && !isOperatorDocument(value));
  return '$eq' in operand ? [operand.$eq, ...values] : values;
}
