import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** What a client can see of a contract, in whatever version of OpenAPI it is told. */
interface Contract {
  [operationId: string]: {
    call: string;
    security: Json;
    parameters: string[];
    body: string[];
    /** By status. Of an error only that there is one: its type is one of two. */
    answers: Record<string, string[] | 'error' | 'no JSON'>;
  };
}

function contractOf(document: Json): Contract {
  const contract: Contract = {};
  for (const [path, item] of Object.entries<Json>(document.paths)) {
    for (const method of METHODS.filter((name) => item[name])) {
      const { operationId, security, parameters, requestBody, responses } = item[method];
      contract[operationId] = {
        call: `${method} ${path}`,
        security,
        parameters: parameters.map(({ name, in: place, required }: Json) => `${place} ${name} ${required}`),
        body: fieldsOf(requestBody?.content['application/json']?.schema, document),
        answers: Object.fromEntries(
          Object.entries<Json>(responses).map(([status, { content }]) => [
            status,
            Number(status) >= 400 ? 'error' : (fieldsOf(content['application/json']?.schema, document) ?? 'no JSON'),
          ]),
        ),
      };
    }
  }
  return contract;
}

/** Paths of all fields, the required ones with an exclamation mark, those that may be null with a question mark. */
function fieldsOf(schema: Json, document: Json, path = ''): string[] {
  if (!schema) return [];
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? [])];
  const referred = schema.$ref ? [document.components.schemas[schema.$ref.split('/').at(-1)]] : [];
  const mayBeNull = schema.nullable ?? [schema, ...parts].some(({ type = [] }) => type.includes('null'));
  return [
    ...(mayBeNull ? [`${path}?`] : []),
    ...(schema.required ?? []).map((name: string) => `${path}.${name}!`),
    ...[...parts, ...referred, ...(schema.items ? [schema.items] : [])].flatMap((part) =>
      fieldsOf(part, document, path),
    ),
    ...Object.entries<Json>(schema.properties ?? {}).flatMap(([name, field]) => [
      `${path}.${name}`,
      ...fieldsOf(field, document, `${path}.${name}`),
    ]),
  ]
    .filter((field, index, all) => field !== '?' && all.indexOf(field) === index)
    .sort();
}

describe('openapi-3.0.json', () => {
  let test: TestApp;
  let document: Json;
  let latest: Json;
  beforeAll(async () => {
    test = await startTestApp();
    document = (await test.client().get('/openapi-3.0.json')).body;
    latest = (await test.client().get('/openapi.json')).body;
  });
  afterAll(() => test.close());

  const look = (value: Json, visit: (schema: Json, path: string) => void, path = ''): void => {
    if (typeof value !== 'object' || value === null) return;
    if (/\/(?:example|examples|enum|required)$/.test(path)) return;
    visit(value, path);
    for (const [key, inner] of Object.entries(value)) look(inner, visit, `${path}/${key}`);
  };

  it('tells the same contract as openapi.json', () => {
    const contract = contractOf(document);
    expect(contract).toEqual(contractOf(latest));
    expect(Object.keys(contract).length).toBeGreaterThan(25);
    const { answers } = contract.listLoginHistory as Contract[string];
    expect(answers['200']).toEqual(expect.arrayContaining(['.data.content.devices?', '.data.content.devices.os!']));
  });

  it('has the types of 3.0 alone: no list of types, no type of null, one example', () => {
    expect(document.openapi).toBe('3.0.3');
    const wrong: string[] = [];
    look(document, (schema, path) => {
      const isMap = path.endsWith('/properties');
      const is31 = Array.isArray(schema.type) || schema.type === 'null' || Array.isArray(schema.examples);
      if (!isMap && (is31 || 'const' in schema)) wrong.push(path);
    });
    expect(wrong).toEqual([]);
  });

  it('has nothing for which languages with classes have no type', () => {
    const wrong: string[] = [];
    look(document, (schema, path) => {
      if (path.endsWith('/properties')) return;
      if (schema.anyOf || schema.oneOf || (schema.allOf && schema.allOf.length !== 1)) wrong.push(`choice: ${path}`);
      if (schema.$ref && Object.keys(schema).length > 1) wrong.push(`beside a reference: ${path}`);
      if (schema.enum?.length === 1 && !/^\/components\/schemas\/[^/]+$/.test(path)) wrong.push(`one value: ${path}`);
      if (schema.properties && !/^\/components\/schemas\/[^/]+$/.test(path)) wrong.push(`without a name: ${path}`);
    });
    expect(wrong).toEqual([]);
  });

  it('has one type for the errors of each envelope, which may bear every code', () => {
    const errors = new Set<string>();
    for (const item of Object.values<Json>(document.paths)) {
      for (const { responses } of Object.values<Json>(item)) {
        for (const [status, { content }] of Object.entries<Json>(responses)) {
          if (Number(status) >= 400) errors.add(content['application/json'].schema.$ref);
        }
      }
    }
    expect([...errors].sort()).toEqual(['#/components/schemas/AuthError', '#/components/schemas/ResourceError']);
    const { AuthError, ErrorCode } = document.components.schemas;
    expect(AuthError.properties.code).toEqual({ $ref: '#/components/schemas/ErrorCode' });
    expect(ErrorCode.enum).toEqual(latest.components.schemas.ErrorCode.enum);
    expect(Object.keys(document.components.schemas).filter((name) => name.endsWith('Error'))).toEqual([
      'FieldError',
      'AuthError',
      'ResourceError',
    ]);
  });
});
