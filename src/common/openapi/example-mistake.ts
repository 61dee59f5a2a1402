import type { FieldError } from '../errors/index.js';
import { ID_PATTERN } from './object-id.decorator.js';
import type { Parameter, Schema } from './openapi-types.js';

/**
 * A mistake in what an operation takes, and what the answer says of it, as the example of its 422: the message that the rules of that
 * field give. Null if it takes nothing.
 * @param body the schema of the body, with its properties
 */
export function exampleMistake(body: Schema | undefined, parameters: Parameter[]): FieldError | null {
  if (!body && parameters.length === 0) return null;
  const [required] = body?.required ?? [];
  if (required) return { field: required, message: `${required} is required` };
  const id = parameters.find(({ schema }) => schema?.pattern === ID_PATTERN);
  if (id) return { field: id.name, message: `${id.name} must be 24 hexadecimal characters` };
  const number = parameters.find(({ schema }) => schema?.type === 'integer');
  if (number) return { field: number.name, message: `${number.name} must be a whole number` };
  return { field: 'colour', message: 'property colour should not exist' };
}
