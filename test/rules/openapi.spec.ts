import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES } from '../../src/common/access/index.js';
import { ERROR_CODES } from '../../src/common/errors/index.js';
import { expectDocumented } from '../support/documented-answers.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

const OPERATION_IDS = [
  'register',
  'verifyOtp',
  'resendOtp',
  'login',
  'refreshToken',
  'logout',
  'forgotPassword',
  'resetPassword',
  'itsNotMe',
  'getProfile',
  'changeProfile',
  'changePassword',
  'listLoginHistory',
  'getLoginStatistics',
  'endSession',
  'listUserLoginHistory',
  'listUsers',
  'getUser',
  'changeUser',
  'deleteUser',
  'restoreUser',
  'listSecurityEvents',
  'listApiKeys',
  'issueApiKey',
  'rotateApiKey',
  'revokeApiKey',
  'getLiveness',
  'getReadiness',
];

const CERTAIN_HINTS: Record<string, string[]> = { 422: ['errors'], 429: ['retry_after'], 503: ['retry_after'] };

describe('The OpenAPI document', () => {
  let test: TestApp;
  let document: Json;
  let operations: { path: string; method: string; operation: Json }[];
  beforeAll(async () => {
    test = await startTestApp();
    document = (await test.client().get('/openapi.json')).body;
    operations = Object.entries(document.paths as Json).flatMap(([path, item]) =>
      Object.entries(item as Json).map(([method, operation]) => ({ path, method, operation: operation as Json })),
    );
  });
  afterAll(() => test.close());

  const valueOf = ({ $ref, value }: Json): Json => ($ref ? resolve($ref).value : value);
  const resolve = (reference: string): Json =>
    reference
      .slice(2)
      .split('/')
      .reduce((value, key) => value?.[key], document);
  const references = (value: Json): string[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [inner as string] : references(inner)));

  it('names each operation by a stable id', () => {
    const ids = operations.map(({ operation }) => operation.operationId as string);
    expect(ids).toEqual(expect.arrayContaining(OPERATION_IDS));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('describes each operation: summary, tag of the list, security', () => {
    const tags = document.tags.map(({ name }: Json) => name);
    for (const { operation } of operations) {
      expect(operation.summary, operation.operationId).toMatch(/.+/);
      expect(tags, operation.operationId).toContain(operation.tags[0]);
    }
    const security = (id: string) =>
      operations.find(({ operation }) => operation.operationId === id)?.operation.security;
    expect(security('getProfile')).toEqual([{ api_key: [], bearer: [] }]);
    expect(security('logout')).toEqual([{ bearer: [] }]);
    expect(security('login')).toEqual([]);
    expect(Object.keys(document.components.securitySchemes).sort()).toEqual(['api_key', 'bearer']);
  });

  it('says of each body, and of no answer, that further fields are refused', () => {
    const bodies = operations.flatMap(({ operation }) =>
      Object.values<Json>(operation.requestBody?.content ?? {}).map(({ schema }) => schema),
    );
    expect(bodies.length).toBeGreaterThan(10);
    for (const body of bodies) {
      const schema = body.$ref ? resolve(body.$ref) : body;
      if (body.$ref || schema.properties) expect(schema.additionalProperties, body.$ref).toBe(false);
    }
    const answers = new Set(operations.flatMap(({ operation }) => references(operation.responses)));
    // A set is also visited where it grows.
    for (const answer of answers) for (const inner of references(resolve(answer))) answers.add(inner);
    expect(answers.size).toBeGreaterThan(20);
    for (const answer of answers) expect(resolve(answer), answer).not.toHaveProperty('additionalProperties', false);
  });

  it('gives each answer a schema, and each error the codes it can bear', () => {
    for (const { operation } of operations) {
      const statuses = Object.keys(operation.responses);
      expect(
        statuses.some((status) => status.startsWith('2')),
        operation.operationId,
      ).toBe(true);
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        const label = `${operation.operationId} ${status}`;
        expect(response.headers['x-request-id'], label).toBeDefined();
        for (const { schema } of Object.values<Json>(response.content)) expect(schema, label).toBeDefined();
        if (OPERATION_IDS.includes(operation.operationId))
          expect(response.content['application/json'], label).toBeDefined();
        if (status.startsWith('2')) continue;
        const content = response.content['application/json'];
        expect(content?.schema.$ref, label).toMatch(/Error$/);
        const [, own] = resolve(content.schema.$ref).allOf;
        expect(own.required, label).toEqual(['code', ...(CERTAIN_HINTS[status] ?? [])]);
        expect(Object.keys(own.properties), label).toEqual(own.required);
        const codes = own.properties.code.enum as string[];
        expect(codes.length, label).toBeGreaterThan(0);
        for (const code of codes) {
          expect(ERROR_CODES, label).toContain(code);
          expect(valueOf(content.examples[code]).code, label).toBe(code);
        }
      }
    }
  });

  it('names the type of each answer, as generators will call it', () => {
    const nameOf = (id: string, status: number) => {
      const { operation } = operations.find(({ operation }) => operation.operationId === id) as Json;
      return operation.responses[status].content['application/json'].schema.$ref.split('/').at(-1);
    };
    expect([200, 400, 401, 403].map((status) => nameOf('login', status))).toEqual([
      'LoginAnswer',
      'AuthMalformedRequestError',
      'AuthInvalidCredentialsError',
      'LoginForbiddenError',
    ]);
    expect([200, 401, 500].map((status) => nameOf('listUsers', status))).toEqual([
      'ListUsersAnswer',
      'ResourceUnauthorizedError',
      'ResourceInternalError',
    ]);
    expect(nameOf('logout', 401)).toBe('AuthUnauthorizedError');
    const { data } = document.components.schemas.ListUsersAnswer.properties;
    expect(data).toEqual({ $ref: '#/components/schemas/ManagedUserPage' });
  });

  it('shows an example of each answer, which agrees with its own schema', () => {
    const names = ['x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after', 'www-authenticate'];
    const headers = new Headers(names.map((name) => [name, 'x']));
    for (const { path, method, operation } of operations) {
      for (const [status, { content }] of Object.entries<Json>(operation.responses)) {
        if (!content['application/json']) continue;
        const { example, examples = {} } = content['application/json'];
        const shown = [example, ...Object.values<Json>(examples).map((one) => valueOf(one))];
        const bodies = shown.filter((value) => value !== undefined);
        expect(bodies.length, `${operation.operationId} ${status}`).toBeGreaterThan(0);
        for (const body of bodies) {
          expectDocumented(method, path, { status: Number(status), headers, body });
        }
      }
    }
  });

  it('lists all error codes, and no other', () => {
    expect(document.components.schemas.ErrorCode.enum).toEqual(ERROR_CODES);
  });

  it('describes every field of every body', () => {
    for (const [name, schema] of Object.entries<Json>(document.components.schemas)) {
      for (const [field, property] of Object.entries<Json>(schema.properties ?? {})) {
        expect(
          property.type ?? property.$ref ?? property.allOf ?? property.anyOf ?? property.enum,
          `${name}.${field}`,
        ).toBeDefined();
      }
      if (name.endsWith('Dto')) expect(Object.keys(schema.properties).length, name).toBeGreaterThan(0);
    }
    const register = document.components.schemas.RegisterDto;
    expect(register.required.sort()).toEqual([
      'email',
      'first_name',
      'last_name',
      'password',
      'password_confirmation',
      'username',
    ]);
    expect(register.properties.username).toMatchObject({
      type: 'string',
      minLength: 3,
      maxLength: 64,
      pattern: '^[A-Za-z0-9_]+$',
    });
  });

  it('keeps null apart from the values of an enumeration, where every generator of clients finds it', () => {
    const { ManagedUserDto, ChangeUserDto, Role, SecurityEventDto } = document.components.schemas;
    for (const { properties } of [ManagedUserDto, ChangeUserDto]) {
      expect(properties.role.anyOf).toEqual([{ $ref: '#/components/schemas/Role' }, { type: 'null' }]);
      expect(properties.role).not.toHaveProperty('enum');
      expect(properties.role).not.toHaveProperty('type');
    }
    expect(Role.enum).toEqual(ROLES);
    expect(SecurityEventDto.properties.ip.type).toEqual(['string', 'null']);
  });

  it('names what is enumerated in several places, so that it is one type', () => {
    const places = new Map<string, string[]>();
    const look = (value: Json, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const values = value.enum as unknown[] | undefined;
      const isError = /Error\//.test(path);
      if (values && values.length > 1 && !isError)
        places.set(values.join(), [...(places.get(values.join()) ?? []), path]);
      for (const [key, inner] of Object.entries(value)) if (key !== 'enum') look(inner, `${path}/${key}`);
    };
    look(document, '');
    expect(places.size).toBeGreaterThan(5);
    expect([...places.values()].filter((paths) => paths.length > 1)).toEqual([]);
  });

  // Generators for Java, Python and Swift write code for it that does not compile.
  it('has no enumeration of booleans', () => {
    expect(JSON.stringify(document)).not.toMatch(/"enum":\[(?:true|false)/);
    const { properties } = document.components.schemas.GetProfileAnswer;
    expect(properties.error).toEqual({ type: 'boolean', const: false });
  });

  // openapi-typescript makes a field with a default a required one, of requests too.
  it('has no defaults in bodies', () => {
    for (const [name, { properties = {} }] of Object.entries<Json>(document.components.schemas)) {
      for (const [field, property] of Object.entries<Json>(properties)) {
        expect(property, `${name}.${field}`).not.toHaveProperty('default');
      }
    }
  });

  it('refers to nothing that is not there, and carries nothing of its making', () => {
    for (const reference of references(document)) expect(resolve(reference), reference).toBeDefined();
    expect(JSON.stringify(document)).not.toMatch(/"x-(?:error-codes|success)"/);
  });

  it('shows valid examples of bodies and ids, where tools that send requests look for them', () => {
    const ajv = addFormats.default(new Ajv2020({ strict: false }));
    const { components } = document;
    const expectExample = (label: string, { schema, example, examples = {} }: Json) => {
      const shown = example === undefined ? Object.values<Json>(examples).map(({ value }) => value) : [example];
      expect(shown.length, label).toBeGreaterThan(0);
      for (const value of shown) {
        expect(ajv.validate({ ...schema, components }, value), `${label} ${ajv.errorsText()}`).toBe(true);
      }
    };
    for (const { operation } of operations) {
      const body = operation.requestBody?.content['application/json'];
      if (body) expectExample(`body of ${operation.operationId}`, body);
      const id = operation.parameters.find(({ name }: Json) => name === 'id');
      if (id) expectExample(`id of ${operation.operationId}`, id);
    }
  });
});
