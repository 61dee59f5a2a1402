import { CommandError, unsupported } from '../command-error.js';
import { isDocument, isFieldPath, type Document } from '../values/document.js';
import { COUNTED_ARGUMENTS, NAMED_ARGUMENTS } from './arguments.js';

/** They may have any name for a field, beside expressions. */
const OF_FIELDS = ['$getField', '$setField', '$unsetField'];

/** Their operands are values, or names of fields. */
const PLAIN = ['$literal', '$const', ...OF_FIELDS];

/**
 * mingo takes what an operator does not know, or misses, for nothing, and whatever is wrong shows with the first document.
 * @throws CommandError for what is no expression, whether or not there is a document
 */
export function checkExpression(expression: unknown, operators: ReadonlySet<string>): void {
  const checkAll = (parts: unknown[]): void => parts.forEach((part) => checkExpression(part, operators));
  if (typeof expression === 'string') return checkPath(expression);
  if (Array.isArray(expression)) return checkAll(expression);
  if (!isDocument(expression)) return undefined;
  const operator = Object.keys(expression).find((name) => name.startsWith('$'));
  if (operator === undefined) {
    const path = Object.keys(expression).find((name) => name.includes('.'));
    if (path !== undefined) throw new CommandError(16412, `FieldPath field names may not contain '.': ${path}`);
    return checkAll(Object.values(expression));
  }
  if (Object.keys(expression).length > 1) {
    throw new CommandError(15983, 'An object representing an expression must have exactly one field');
  }
  const operand = expression[operator];
  checkArguments(operator, operand);
  if (PLAIN.includes(operator)) return checkAll(OF_FIELDS.includes(operator) ? argumentsIn(operand) : []);
  if (!operators.has(operator)) throw unsupported(`The expression operator ${operator}`, 168);
  if (operator === '$let') checkVariables((operand as Document)['vars']);
  if (operator === '$switch') checkBranches((operand as Document)['branches']);
  if (!isDocument(operand)) return checkExpression(operand, operators);
  // An order has paths.
  const { sortBy: _order, ...others } = operand;
  return checkExpression(others, operators);
}

function argumentsIn(operand: unknown): unknown[] {
  return isDocument(operand) ? [operand['input'], operand['value']] : [];
}

function checkPath(text: string): void {
  if (!text.startsWith('$')) return;
  const path = text.replace(/^\$\$?/, '');
  if (path === '') throw new CommandError(16872, `'${text}' by itself is not a valid FieldPath`);
  if (path.endsWith('.')) throw new CommandError(40353, "FieldPath must not end with a '.'.");
  if (!isFieldPath(path)) throw new CommandError(16410, "FieldPath field names may not be empty or start with '$'");
}

/** @throws CommandError 9 for names that an operator does not know, or misses; 16020 for another number */
export function checkArguments(operator: string, operand: unknown): void {
  const known = NAMED_ARGUMENTS[operator]?.split(' ');
  if (!known || (operator === '$cond' && Array.isArray(operand))) return checkCount(operator, operand);
  if (!isDocument(operand)) throw new CommandError(9, `${operator} only supports an object as its argument`);
  const names = known.map((name) => name.replace('?', ''));
  const unknown = Object.keys(operand).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new CommandError(9, `Unrecognized parameter to ${operator}: ${unknown}`);
  const missing = known.find((name) => !name.endsWith('?') && !(name in operand));
  if (missing !== undefined) throw new CommandError(9, `Missing '${missing}' parameter to ${operator}`);
}

/** @throws CommandError 16874 for what are no variables, 16867 for names that MongoDB keeps for its own */
export function checkVariables(variables: unknown): void {
  if (!isDocument(variables)) throw new CommandError(16874, 'invalid parameter: expected an object (vars)');
  const wrong = Object.keys(variables).find((name) => !/^[a-z\x80-\uffff][\w\x80-\uffff]*$/.test(name));
  if (wrong !== undefined) throw new CommandError(16867, `'${wrong}' is no name that a user variable may have`);
}

function checkBranches(branches: unknown): void {
  if (!Array.isArray(branches) || branches.length === 0) {
    throw new CommandError(40068, "$switch requires an array of at least one branch as its 'branches'");
  }
  const isBranch = (one: unknown): boolean => isDocument(one) && Object.keys(one).toSorted().join() === 'case,then';
  if (!branches.every(isBranch)) throw new CommandError(40062, "$switch requires of each branch a 'case' and a 'then'");
}

function checkCount(operator: string, operand: unknown): void {
  const [least = 0, most = Infinity] = COUNTED_ARGUMENTS.get(operator) ?? [];
  const count = Array.isArray(operand) ? operand.length : 1;
  if (count >= least && count <= most) return;
  const takes = least === most ? `exactly ${least}` : `at least ${least} and at most ${most}`;
  throw new CommandError(16020, `Expression ${operator} takes ${takes} arguments. ${count} were passed in.`);
}
