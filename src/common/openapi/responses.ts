import { ERROR_CATALOGUE, type ErrorCode, UNREAD_ERRORS } from '../errors/index.js';
import type { EnvelopeKind } from '../http/index.js';
import { certainHintsOfStatus, COMMON_HEADERS, headersOfStatus, LIMIT_HEADERS } from './components.js';
import { errorExampleRef, mistakeExample } from './error-examples.js';
import { type ExampleSource, exampleOf } from './example.js';
import { answerName, asComponent, errorBaseName, errorName, pageName, refTo } from './named-schemas.js';
import type { OperationFacts, Response, Schema } from './openapi-types.js';
import { JSON_MEDIA_TYPE, type SuccessDescription } from './operation.decorator.js';

const ALWAYS: ErrorCode[] = ['malformed_request', 'service_unavailable', 'internal_error'];
const WITH_INPUT: ErrorCode[] = ['validation_failed'];
const WITH_BODY: ErrorCode[] = ['payload_too_large', 'unsupported_media_type'];

type Declared = Record<string, Partial<Response>>;

/**
 * The complete `responses` of one operation: its success and each of its errors, in the envelope of its path.
 * @param declared what decorators of `@nestjs/swagger` say besides: headers of these answers, and further ones, such as a 304, or a 201
 *   of what else is a 200
 */
export function responsesOf(
  facts: OperationFacts,
  examples: ExampleSource,
  declared: Declared,
): Record<string, Response> {
  const { envelope, success } = facts;
  const responses: Record<string, Response> = { [success.status]: successOf(facts, examples) };
  for (const [status, codes] of codesByStatus(allCodes(facts))) {
    const isUnread = codes.every((code) => UNREAD_ERRORS.includes(code));
    responses[status] = {
      description: descriptionOf(codes),
      headers: { ...headersOf(facts, !isUnread), ...headersOfStatus(status) },
      content: {
        [JSON_MEDIA_TYPE]: {
          schema: asComponent(
            errorName(facts, status, codes),
            errorSchema(envelope, status, codes),
            examples.components,
          ),
          examples: Object.fromEntries(codes.map((code) => [code, errorExample(facts, code)])),
        },
      },
    };
  }
  for (const [status, answer] of Object.entries(declared)) {
    const known = responses[status] ?? furtherAnswer(facts, examples, Number(status), answer);
    if (known) responses[status] = { ...known, headers: { ...known.headers, ...answer.headers } };
  }
  return responses;
}

function headersOf({ isLimited }: OperationFacts, hasLimit: boolean): Response['headers'] {
  return { ...COMMON_HEADERS, ...(isLimited && hasLimit ? LIMIT_HEADERS : {}) };
}

/** @param names for its type, in order of preference */
function successOf(
  facts: OperationFacts,
  examples: ExampleSource,
  data = dataSchema(facts.success, examples.components),
  names = [answerName(facts)],
): Response {
  const { status, message, mediaType } = facts.success;
  return {
    description: message,
    headers: headersOf(facts, true),
    // These have none (RFC 9110 sections 15.3.5 and 15.3.6).
    content: status === 204 || status === 205 ? {} : { [mediaType]: successContent(facts, examples, data, names) },
  };
}

/** @returns undefined for an error: which there are is said by decorators that the service goes by */
function furtherAnswer(
  facts: OperationFacts,
  examples: ExampleSource,
  status: number,
  { description = '', content }: Partial<Response>,
): Response | undefined {
  if (status >= 300 && status < 400) return { description, headers: headersOf(facts, false), content: {} };
  if (!(status >= 200 && status < 300)) return undefined;
  const own = content?.[JSON_MEDIA_TYPE]?.schema;
  const success = { ...facts.success, status, ...(own ? { mediaType: JSON_MEDIA_TYPE } : {}) };
  // Alike answers have one type.
  const names = [answerName(facts), answerName(facts, status)];
  const answer = successOf({ ...facts, success }, examples, own, names);
  return { ...answer, description: description || answer.description };
}

/** Of a wrong field the operation has an example of its own. */
function errorExample({ envelope, exampleMistake }: OperationFacts, code: ErrorCode) {
  return code === 'validation_failed' && exampleMistake
    ? mistakeExample(envelope, exampleMistake)
    : errorExampleRef(envelope, code);
}

/** Codes with the same message in one line. */
function descriptionOf(codes: ErrorCode[]): string {
  const messages = new Set(codes.map((code) => ERROR_CATALOGUE[code].message));
  const lines = [...messages].map((message) => {
    const alike = codes.filter((code) => ERROR_CATALOGUE[code].message === message);
    return `${alike.map((code) => `\`${code}\``).join(', ')}: ${message}`;
  });
  return lines.join('\n\n');
}

function allCodes({ errorCodes, exampleMistake, mayHaveBody }: OperationFacts): ErrorCode[] {
  return [...errorCodes, ...(exampleMistake ? WITH_INPUT : []), ...(mayHaveBody ? WITH_BODY : []), ...ALWAYS];
}

function codesByStatus(codes: ErrorCode[]): [number, ErrorCode[]][] {
  const grouped = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = ERROR_CATALOGUE[code];
    grouped.set(status, [...(grouped.get(status) ?? []), code]);
  }
  return [...grouped].sort(([a], [b]) => a - b);
}

function dataSchema({ dataRef, shape }: SuccessDescription, components: ExampleSource['components']): Schema | null {
  if (!dataRef) return null;
  const item: Schema = { $ref: dataRef };
  if (shape === 'single') return item;
  const list: Schema = { type: 'array', items: item };
  if (shape === 'list') return list;
  const page: Schema = {
    type: 'object',
    required: ['content', 'pagination'],
    properties: { content: list, pagination: refTo('Pagination') },
  };
  return asComponent(pageName(dataRef), page, components);
}

function successContent(facts: OperationFacts, examples: ExampleSource, data: Schema | null, names: string[]) {
  const { mediaType } = facts.success;
  if (mediaType.startsWith('text/')) return { schema: { type: 'string' } };
  if (mediaType !== JSON_MEDIA_TYPE) return { schema: { type: 'string', format: 'binary' } };
  const schema = successSchema(facts, data);
  const name = names.find((each) => asComponent(each, schema, examples.components).$ref);
  return { schema: name ? refTo(name) : schema, example: exampleOf(schema, examples) };
}

function successSchema({ envelope, success }: OperationFacts, data: Schema | null): Schema {
  const { status, message } = success;
  const text: Schema = { type: 'string', description: 'For people', examples: [message] };
  if (envelope === 'auth') {
    return {
      type: 'object',
      required: ['status_code', 'status', 'message', ...(data ? ['data'] : [])],
      properties: {
        status_code: { type: 'integer', enum: [status] },
        status: { type: 'string', enum: ['SUCCESS'] },
        message: text,
        ...(data ? { data } : {}),
      },
    };
  }
  return {
    type: 'object',
    required: ['error', 'message', 'data'],
    properties: { error: { type: 'boolean', const: false }, message: text, data: data ?? { type: 'null' } },
  };
}

/**
 * Fields that every error of this status has are declared beside `required`: generators look at each part of an `allOf` alone, and
 * would make them optional.
 */
function errorSchema(envelope: EnvelopeKind, status: number, codes: ErrorCode[]): Schema {
  const properties: Record<string, Schema> = {
    code: { type: 'string', enum: codes },
    ...certainHintsOfStatus(status),
  };
  return {
    allOf: [refTo(errorBaseName(envelope)), { type: 'object', required: Object.keys(properties), properties }],
  };
}
