import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { credentialErrors } from '../access/index.js';
import type { ErrorCode } from '../errors/index.js';
import type { EnvelopeKind } from '../http/index.js';
import type { OperationFacts, Schema } from './openapi-types.js';

/** The envelopes of errors, and how the names of all errors in them begin. */
const ENVELOPES: Record<EnvelopeKind, string> = { auth: 'Auth', resource: 'Resource' };

/** As handlers they would make errors of the same names as those of all routes of an envelope. */
export const RESERVED_OPERATION_IDS = Object.values(ENVELOPES).map((name) => name.toLowerCase());

/** With which errors most routes of an envelope refuse credentials. */
const USUAL_CREDENTIAL_ERRORS: Record<EnvelopeKind, ErrorCode[]> = {
  auth: credentialErrors({ apiKey: false, bearer: true }),
  resource: credentialErrors({ apiKey: true, bearer: true }),
};

export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * Puts a schema among the components: generators call its type by the name there, where one within an answer is written out in
 * each operation, or has a name such as `InlineResponse20017`. What a name stands for must not depend on the order of routes.
 * @returns a reference to it; the schema itself if a class has that name
 */
export function asComponent(name: string, schema: Schema, components: Record<string, Schema>): Schema {
  components[name] ??= schema;
  return isDeepStrictEqual(components[name], schema) ? refTo(name) : schema;
}

/**
 * For example `LoginAnswer`. (Generators have names such as `LoginResponse` and `LoginError` for what they make themselves.)
 * @param status of another success of the operation: `ExportNotesAcceptedAnswer`
 */
export function answerName({ operationId }: OperationFacts, status?: number): string {
  return `${pascalCase(operationId)}${status ? statusName(status) : ''}Answer`;
}

/** For example `LoginHistoryPage`. */
export function pageName(dataRef: string): string {
  return `${(dataRef.split('/').at(-1) as string).replace(/Dto$/, '')}Page`;
}

/** The schema of an envelope's errors: `AuthError`, `ResourceError`. */
export function errorBaseName(envelope: EnvelopeKind): string {
  return `${ENVELOPES[envelope]}Error`;
}

/** For example `AuthInvalidCredentialsError`, or of several codes `LoginForbiddenError`. */
export function errorName({ envelope, operationId }: OperationFacts, status: number, codes: ErrorCode[]): string {
  const prefix = ENVELOPES[envelope];
  if (codes.length === 1) return `${prefix}${pascalCase(codes[0] as string).replace(/Error$/, '')}Error`;
  if (isDeepStrictEqual(codes, USUAL_CREDENTIAL_ERRORS[envelope])) return `${prefix}UnauthorizedError`;
  return `${pascalCase(operationId)}${statusName(status)}Error`;
}

function statusName(status: number): string {
  return pascalCase(STATUS_CODES[status] ?? String(status));
}

function pascalCase(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
