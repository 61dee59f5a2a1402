import { CommandError, refuseOthers, unsupported } from '../command-error.js';
import { ACCUMULATORS } from '../expressions/accumulators.js';
import { compileExpression } from '../expressions/compile.js';
import { isComputed, type Scope } from '../expressions/expression.js';
import { rankOf } from '../values/bson-types.js';
import type { Fold } from '../values/collation.js';
import { isDocument, isOperatorDocument, own, type Document } from '../values/document.js';
import { compare, identity } from '../values/order.js';
import { compileSortKey, sorted } from '../values/sort-key.js';
import type { Stage } from './stage.js';

/** `$group`: one document for each value of `_id`, in the order in which the values first appear. */
export function group({ _id, ...fields }: Document, scope: Scope): Stage {
  const idOf = compileExpression(_id ?? null, scope);
  // Only of an object with a single field, MongoDB takes a missing value for null (SERVER-21992).
  const names = isDocument(_id) && !isOperatorDocument(_id) ? Object.keys(_id) : [];
  const missing = names.length === 1 ? { [names[0] as string]: null } : undefined;
  return grouping(
    (document) => {
      const value = idOf(document, scope.variables) ?? null;
      return missing ? { ...missing, ...(value as Document) } : value;
    },
    fields,
    scope,
  );
}

function grouping(idOf: (document: Document) => unknown, fields: Document, scope: Scope): Stage {
  const accumulators = Object.entries(fields).map(([name, field]) => accumulatorOf(name, field, scope));
  return (documents) => {
    const groups = new Map<string, { _id: unknown; members: Document[] }>();
    for (const document of documents) {
      const _id = idOf(document);
      const key = identity(_id, scope.fold);
      const known = groups.get(key);
      if (known) known.members.push(document);
      else groups.set(key, { _id, members: [document] });
    }
    return [...groups.values()].map(({ _id, members }) => ({
      _id,
      ...Object.fromEntries(accumulators.map(({ name, accumulate }) => [name, accumulate(members) ?? null])),
    }));
  };
}

function accumulatorOf(name: string, field: unknown, scope: Scope) {
  if (!isOperatorDocument(field)) {
    throw new CommandError(40234, `The field '${name}' of a $group must be an accumulator object`);
  }
  const [[operator, operand], another] = Object.entries(field) as [[string, unknown], unknown];
  if (another) throw new CommandError(40238, `The field '${name}' must specify one accumulator`);
  const accumulator = own(ACCUMULATORS, operator);
  if (!accumulator) throw unsupported(`The group operator '${operator}'`, 15952);
  if (Array.isArray(operand)) throw new CommandError(40237, `The ${operator} accumulator is a unary operator`);
  if (name.includes('.')) throw new CommandError(40235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$')) throw new CommandError(40236, `The field name '${name}' cannot be an operator name`);
  const valueOf = compileExpression(operand, scope);
  const valuesOf = (members: Document[]): unknown[] => members.map((document) => valueOf(document, scope.variables));
  return { name, accumulate: (members: Document[]) => accumulator(valuesOf(members), scope.fold) };
}

/** `$bucket`: each bucket includes its lower boundary; empty ones are left out. */
export function bucket(specification: Document, scope: Scope): Stage {
  const { groupBy, boundaries, default: other, output = { count: { $sum: 1 } }, ...others } = specification;
  refuseOthers('$bucket', 40197, others);
  if (groupBy === undefined) {
    throw new CommandError(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified");
  }
  if (!isComputed(groupBy)) {
    throw new CommandError(40202, "The $bucket 'groupBy' field must be a path or an expression in an object");
  }
  if (!isDocument(output)) throw new CommandError(40196, "The $bucket 'output' field must be an object");
  if (!isConstant(boundaries)) throw new CommandError(40191, "The $bucket 'boundaries' must be constants");
  if (!isConstant(other)) throw new CommandError(40195, "The $bucket 'default' must be a constant");
  const [limits, otherId] = [boundaries, other].map((one) => compileExpression(one, scope)({}, scope.variables));
  checkBoundaries(limits, scope.fold);
  const isInside = (value: unknown): boolean =>
    compare(value, limits[0], scope.fold) >= 0 && compare(value, limits.at(-1), scope.fold) < 0;
  if (other !== undefined && isInside(otherId)) {
    throw new CommandError(40199, "The $bucket 'default' must be below the lowest boundary, or not below the highest");
  }
  const by = compileExpression(groupBy, scope);
  const idOf = (document: Document): unknown => {
    const value = by(document, scope.variables);
    if (isInside(value)) return limits.findLast((limit) => compare(limit, value, scope.fold) <= 0);
    if (other !== undefined) return otherId;
    throw new CommandError(7158300, '$bucket found a value outside its boundaries, and has no default');
  };
  const grouped = grouping(idOf, output, scope);
  return (documents) => sorted(grouped(documents), compileSortKey({ _id: 1 }, scope.fold));
}

function isConstant(expression: unknown): boolean {
  if (typeof expression === 'string') return !expression.startsWith('$');
  if (Array.isArray(expression)) return expression.every(isConstant);
  return !isDocument(expression) || '$literal' in expression || Object.values(expression).every(isConstant);
}

/** The boundaries of `$bucket`: at least two of the same type, in ascending order. */
function checkBoundaries(limits: unknown, fold?: Fold): asserts limits is unknown[] {
  if (!Array.isArray(limits)) throw new CommandError(40200, "The $bucket 'boundaries' field must be an array");
  if (limits.length < 2) throw new CommandError(40192, "The $bucket 'boundaries' field must have at least 2 values");
  if (new Set(limits.map(rankOf)).size > 1) {
    throw new CommandError(40193, "All values of the $bucket 'boundaries' must have the same type");
  }
  if (limits.slice(1).every((limit, i) => compare(limits[i], limit, fold) < 0)) return;
  throw new CommandError(40194, "The 'boundaries' option to $bucket must be sorted in ascending order");
}
