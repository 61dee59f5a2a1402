import { createHash, randomBytes } from 'node:crypto';
import { Binary, Long, UUID } from 'bson';
import { CommandError, refuseOthers, unsupported } from '../command-error.js';
import { compileExpression } from '../expressions/compile.js';
import { isComputed, isNothing, type Scope } from '../expressions/expression.js';
import { compileFilter } from '../query/filter.js';
import { compileProjection, flatten } from '../query/projection.js';
import { collisionOf, own, fieldPath, isDocument, isFieldPath, withField, type Document } from '../values/document.js';
import { toInteger } from '../values/numbers.js';
import { compileSortKey, sorted } from '../values/sort-key.js';
import { bucket, group } from './group.js';
import { graphLookup, lookup, unionWith } from './joins.js';
import type { PipelineScope, Stage } from './stage.js';

/**
 * @param before number of stages before these
 * @throws CommandError for an unknown or misplaced stage, whether or not there are documents
 */
export function compilePipeline(stages: readonly unknown[], scope: PipelineScope, before = 0): Stage {
  const compiled = stages.map((stage, position) => {
    const [name, another] = isDocument(stage) ? Object.keys(stage) : [];
    if (!name || another) throw new CommandError(40323, 'A pipeline stage must contain exactly one field.');
    if (['$documents', '$listLocalSessions'].includes(name) && before + position > 0) {
      throw new CommandError(40602, `${name} is only valid as the first stage in a pipeline`);
    }
    const compile = own(STAGES, name);
    if (!compile) throw unsupported(`Unrecognized pipeline stage name: '${name}'. It`, 40324);
    return compile((stage as Document)[name], scope, name);
  });
  return (documents) => compiled.reduce((found, stage) => stage(found), documents);
}

const STAGES: Record<string, (operand: unknown, scope: PipelineScope, name: string) => Stage> = {
  $match: (filter, scope) => {
    const matches = compileFilter(filter, scope);
    return (documents) => documents.filter(matches);
  },
  $sort: (order, { fold }) => {
    if (isEmpty(order)) throw new CommandError(15976, '$sort stage must have at least one sort key');
    const keyOf = compileSortKey(order as Document, fold);
    return (documents) => sorted(documents, keyOf);
  },
  $skip: (count) => {
    const skipped = toInteger(count, '$skip');
    if (skipped < 0) throw new CommandError(5107200, 'the argument of $skip must not be negative');
    return (documents) => documents.slice(skipped);
  },
  $limit: (count) => {
    const most = toInteger(count, '$limit');
    if (most <= 0) throw new CommandError(15958, 'the limit must be positive');
    return (documents) => documents.slice(0, most);
  },
  $sample: (specification) => {
    const size = isDocument(specification) ? toInteger(specification.size, '$sample size', 28746) : NaN;
    if (!(size > 0)) throw new CommandError(28747, '$sample takes {size: a positive integer}');
    return (documents) => sorted(documents, () => randomBytes(8)).slice(0, size);
  },
  $project: (specification, scope) => {
    if (isEmpty(specification)) throw new CommandError(51272, '$project must have at least one field');
    return projecting(specification as Document, scope);
  },
  $unset: (fields, scope) => {
    const names = [fields].flat();
    if (names.length === 0 || !names.every((name) => typeof name === 'string')) {
      throw new CommandError(31120, '$unset specification must be a string or an array of strings');
    }
    return projecting(Object.fromEntries(names.map((name) => [name, 0])), scope);
  },
  $set: addFields,
  $addFields: addFields,
  $replaceRoot: (specification, scope, name) => {
    const { newRoot, ...others } = anObject(name, 40229, specification);
    refuseOthers(name, 40415, others);
    return replacing(newRoot, scope);
  },
  $replaceWith: replacing,
  $unwind: unwind,
  $group: (specification, scope, name) => {
    const fields = anObject(name, 15947, specification);
    if (!('_id' in fields)) throw new CommandError(15955, 'a group specification must include an _id');
    return group(fields, scope);
  },
  $bucket: (specification, scope, name) => bucket(anObject(name, 40201, specification), scope),
  $count: (field) => {
    if (typeof field !== 'string' || field === '' || field.startsWith('$') || field.includes('.')) {
      throw new CommandError(40156, 'the count field must be a string that is not empty, without $ and dots');
    }
    return (documents) => (documents.length > 0 ? [{ [field]: documents.length }] : []);
  },
  $sortByCount: (expression, scope) => {
    if (!isComputed(expression)) {
      throw new CommandError(40148, 'the sortByCount field must be a path or an expression in an object');
    }
    return compilePipeline([{ $group: { _id: expression, count: { $sum: 1 } } }, { $sort: { count: -1 } }], scope);
  },
  $documents: (expression, scope) => {
    const value = compileExpression(expression, scope);
    return () => {
      const found = value({}, scope.variables);
      if (Array.isArray(found) && found.every(isDocument)) return found;
      throw new CommandError(40228, '$documents must yield an array of objects');
    };
  },
  // MongoDB's session ids contain the hash of a user; there are no users here.
  $listLocalSessions: (_options, { sessions }) => {
    const uid = new Binary(createHash('sha256').digest());
    return () => [...sessions].map(([id, lastUse]) => ({ _id: { id: new UUID(id), uid }, lastUse }));
  },
  $lookup: (specification, scope, name) => lookup(anObject(name, 9, specification), scope, compilePipeline),
  $graphLookup: (specification, scope, name) => graphLookup(anObject(name, 9, specification), scope),
  $unionWith: (specification, scope) => unionWith(specification, scope, compilePipeline),
  $facet: facet,
};

/** @throws CommandError with the code that MongoDB has for a value that is no object */
function anObject(stage: string, code: number, specification: unknown): Document {
  if (isDocument(specification)) return specification;
  throw new CommandError(code, `the ${stage} specification must be an object`);
}

function isEmpty(specification: unknown): boolean {
  return !isDocument(specification) || Object.keys(specification).length === 0;
}

function projecting(specification: Document, scope: Scope): Stage {
  const project = compileProjection(specification, scope, { isStage: true });
  return (documents) => documents.map(project);
}

function replacing(expression: unknown, scope: PipelineScope): Stage {
  const value = compileExpression(expression, scope);
  return (documents) =>
    documents.map((document) => {
      const root = value(document, scope.variables);
      if (isDocument(root)) return root;
      throw new CommandError(40228, "'newRoot' expression must evaluate to an object");
    });
}

/** `$set` and `$addFields`: {a: {b: 1}} means {'a.b': 1}, so that other fields of a stay. */
function addFields(specification: unknown, scope: PipelineScope, name: string): Stage {
  const given = [...flatten(anObject(name, 40272, specification))];
  const [path, other] = collisionOf(given.map(([path]) => path)) ?? [];
  if (path) throw new CommandError(40176, `${name} takes either ${path} or ${other}`);
  const fields = given.map(([path, value]) => ({ path: fieldPath(path), value: compileExpression(value, scope) }));
  return (documents) =>
    documents.map((document) => {
      const values = fields.map(({ path, value }) => ({ path, found: value(document, scope.variables) }));
      return values.reduce((result, { path, found }) => withField(result, path, found, true), document);
    });
}

/** `$unwind`: a document for each element of an array; other values stay as they are. The path does not enter arrays. */
function unwind(specification: unknown): Stage {
  const options: Document = isDocument(specification) ? specification : { path: specification };
  const { path, includeArrayIndex: index, preserveNullAndEmptyArrays: keepsEmpty, ...others } = options;
  refuseOthers('$unwind', 28811, others);
  if (typeof path !== 'string' || !path.startsWith('$')) {
    throw new CommandError(28818, "path option to $unwind stage should be prefixed with a '$'");
  }
  const parts = fieldPath(path.slice(1));
  if (index !== undefined && (typeof index !== 'string' || index === '' || index.startsWith('$'))) {
    throw new CommandError(28822, 'includeArrayIndex option to $unwind stage must be a path without a $');
  }
  const indexPath = index === undefined ? undefined : fieldPath(index);
  const numbered = (document: Document, number: number | null): Document =>
    indexPath ? withField(document, indexPath, number === null ? null : Long.fromNumber(number)) : document;
  return (documents) =>
    documents.flatMap((document) => {
      const found = fieldAt(document, parts);
      if (Array.isArray(found) && found.length > 0) {
        return found.map((element, i) => numbered(withField(document, parts, element), i));
      }
      if (Array.isArray(found)) return keepsEmpty ? [numbered(withField(document, parts, undefined), null)] : [];
      return isNothing(found) && !keepsEmpty ? [] : [numbered(document, null)];
    });
}

/** What a path through documents leads to; through an array it leads nowhere. */
function fieldAt(document: Document, path: string[]): unknown {
  return path.reduce<unknown>((value, name) => (isDocument(value) ? own(value, name) : undefined), document);
}

const OF_WHOLE_PIPELINES = ['$facet', '$out', '$merge', '$documents'];

/** `$facet`: several pipelines over the same documents. */
function facet(specification: unknown, scope: PipelineScope): Stage {
  if (isEmpty(specification)) throw new CommandError(40169, 'the $facet specification must be a non-empty object');
  const pipelines = Object.entries(specification as Document).map(([name, stages]) => {
    if (!isFieldPath(name) || name.includes('.')) throw new CommandError(16410, `${name} is no name of a field`);
    if (!Array.isArray(stages)) throw new CommandError(40170, 'arguments to $facet must be arrays');
    const refused = OF_WHOLE_PIPELINES.find((one) => stages.some((stage) => isDocument(stage) && one in stage));
    if (refused) throw new CommandError(40600, `${refused} is not allowed to be used within a $facet stage`);
    return [name, compilePipeline(stages, scope)] as const;
  });
  return (documents) => [Object.fromEntries(pipelines.map(([name, run]) => [name, run(documents)]))];
}
