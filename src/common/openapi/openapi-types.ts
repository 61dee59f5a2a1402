import type { ErrorCode, FieldError } from '../errors/index.js';
import type { EnvelopeKind } from '../http/index.js';
import type { SuccessDescription } from './operation.decorator.js';

/** A JSON Schema of the 2020-12 draft, as OpenAPI 3.1 has it. The types of `@nestjs/swagger` know 3.0 alone. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
}

/** What is sent: a body of one media type, or a parameter. OpenAPI allows either an example or several. */
export interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: unknown;
}

export interface Parameter extends MediaType {
  name: string;
  required?: boolean;
}

export type Headers = Record<string, { $ref: string } | { description: string; schema: Schema }>;

export interface ErrorExample {
  summary: string;
  value: object;
}

export interface Response {
  description: string;
  headers: Headers;
  /** By media type. */
  content: Record<
    string,
    { schema: Schema; example?: unknown; examples?: Record<string, { $ref: string } | ErrorExample> }
  >;
}

/** The facts about an operation from which its answers follow. */
export interface OperationFacts {
  operationId: string;
  envelope: EnvelopeKind;
  success: SuccessDescription;
  errorCodes: ErrorCode[];
  /** Null if it takes neither a body nor parameters. */
  exampleMistake: FieldError | null;
  /** Whether the method allows a body, even if the operation has none. */
  mayHaveBody: boolean;
  isLimited: boolean;
}
