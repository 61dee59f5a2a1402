import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { credentialErrors } from '../access/index.js';
import type { ErrorCode } from '../errors/index.js';
import type { EnvelopeKind } from '../http/index.js';
import type { OperationFacts, Schema } from './openapi-types.js';
import type { SuccessDescription } from './operation.decorator.js';

const PREFIXES: Record<EnvelopeKind, string> = { auth: 'Auth', resource: 'Resource' };

/** With which errors most routes of an envelope refuse credentials. */
const USUAL_CREDENTIAL_ERRORS: Record<EnvelopeKind, ErrorCode[]> = {
  auth: credentialErrors({ apiKey: false, bearer: true }),
  resource: credentialErrors({ apiKey: true, bearer: true }),
};

/**
 * Puts a schema among the components: generators call its type by the name there, where one within an answer is written out in
 * each operation, or has a name such as `InlineResponse20017`.
 * @returns a reference to it; the schema itself if another one has that name
 */
export function named(name: string, schema: Schema, components: Record<string, Schema>): Schema {
  components[name] ??= schema;
  return isDeepStrictEqual(components[name], schema) ? { $ref: `#/components/schemas/${name}` } : schema;
}

/** For example `ProfileAnswer`. (Generators have names such as `LoginResponse` and `LoginError` for what they make themselves.) */
export function answerName(envelope: EnvelopeKind, { dataRef, shape }: SuccessDescription): string {
  if (!dataRef) return envelope === 'auth' ? 'AuthDoneAnswer' : 'DoneAnswer';
  if (shape === 'page') return `${pageName(dataRef)}Answer`;
  return `${className(dataRef)}${shape === 'list' ? 'List' : ''}Answer`;
}

/** For example `LoginHistoryPage`. */
export function pageName(dataRef: string): string {
  return `${className(dataRef)}Page`;
}

/** For example `AuthInvalidCredentialsError`, or of several codes `LoginForbiddenError`. */
export function errorName({ envelope, operationId }: OperationFacts, status: number, codes: ErrorCode[]): string {
  const prefix = PREFIXES[envelope];
  if (codes.length === 1) return `${prefix}${pascalCase(codes[0] as string).replace(/Error$/, '')}Error`;
  if (isDeepStrictEqual(codes, USUAL_CREDENTIAL_ERRORS[envelope])) return `${prefix}UnauthorizedError`;
  return `${pascalCase(operationId)}${pascalCase(STATUS_CODES[status] ?? String(status))}Error`;
}

function className(dataRef: string): string {
  return (dataRef.split('/').at(-1) as string).replace(/Dto$/, '');
}

function pascalCase(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
