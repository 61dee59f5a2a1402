import { readFileSync } from 'node:fs';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type ErrorCode, UNREAD_ERRORS } from '../../src/common/errors/index.js';
import { LIMIT_NAMESPACE_HEADER } from '../../src/dev-tools/index.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const DOCUMENT = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as Json;

/** Refusals that come before any route is chosen; the document tells of them in its description. */
const BEFORE_ROUTING = [405, 408, 414, 431];

/** Under these names are the parts of an `allOf`. */
const PARTS = ['allOf', 'AuthError', 'ResourceError'];

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(closed(DOCUMENT) as object, 'openapi');

const paths = Object.keys(DOCUMENT.paths)
  .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
  .map((template) => ({ template, pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}/?$`) }));

const validators = new Map<string, ValidateFunction>();

/**
 * Holds an answer against openapi.json, as `npm run openapi` wrote it last: its status, its headers, its body, and that
 * nothing is in it which the document does not tell of. Answers of paths that are not in the document are none of its matter.
 * @throws Error that says what is not as documented
 */
export function expectDocumented(method: string, url: string, answer: Answer): void {
  const path = paths.find(({ pattern }) => pattern.test(url.split('?')[0] as string))?.template;
  if (!path || !METHODS.includes(method.toLowerCase())) return;
  const operation = DOCUMENT.paths[path][method.toLowerCase()];
  const response = operation?.responses[answer.status];
  const label = `${method} ${path} -> ${answer.status} ${JSON.stringify(answer.body)}`;
  const isExpected = response || (operation ? BEFORE_ROUTING : [404, ...BEFORE_ROUTING]).includes(answer.status);
  if (!isExpected) throw new Error(`Not documented in openapi.json: ${label}`);
  const pointer = response
    ? `/paths/${escaped(path)}/${method.toLowerCase()}/responses/${answer.status}/content/application~1json/schema`
    : `/components/schemas/${path.startsWith('/auth') ? 'AuthError' : 'ResourceError'}`;
  const [mediaType] = Object.keys(response ? (response.content ?? {}) : { 'application/json': {} });
  if (mediaType === 'application/json') {
    const validate = validatorOf(pointer);
    if (!validate(answer.body))
      throw new Error(`Not as documented in openapi.json: ${label}: ${ajv.errorsText(validate.errors)}`);
  } else if (answer.headers.get('content-type')?.split(';')[0] !== mediaType) {
    throw new Error(`Documented in openapi.json as ${mediaType}: ${label}`);
  }
  const { code, errors } = (answer.body ?? {}) as { code: ErrorCode; errors?: { field: string }[] };
  // One status may stand for refusals before the limiter, which have no count to tell, and behind it.
  const hasNoCount = UNREAD_ERRORS.includes(code) || errors?.[0]?.field === LIMIT_NAMESPACE_HEADER;
  for (const name of Object.keys(response?.headers ?? {})) {
    if (hasNoCount && name.startsWith('ratelimit')) continue;
    if (!answer.headers.has(name)) throw new Error(`No ${name}, which is documented: ${label}`);
  }
}

function validatorOf(pointer: string): ValidateFunction {
  const known = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
  validators.set(pointer, known);
  return known;
}

function escaped(path: string): string {
  return encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** The same schemas, in which nothing may appear that is not named; parts of an `allOf` are closed together. */
function closed(value: unknown, isPart = false): unknown {
  if (Array.isArray(value)) return value.map((inner) => closed(inner, isPart));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, closed(inner, PARTS.includes(key))]),
  );
  const isObject = typeof copy.properties === 'object' || copy.allOf !== undefined;
  return isObject && !isPart ? { ...copy, unevaluatedProperties: false } : copy;
}
