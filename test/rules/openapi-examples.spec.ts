import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

const SOME_ID = '66f2a1b3c4d5e6f708192a3b';

describe('The OpenAPI document', () => {
  let test: TestApp;
  let operations: { path: string; method: string; operation: Json }[];
  beforeAll(async () => {
    test = await startTestApp();
    const { paths } = (await test.client().get('/openapi.json')).body;
    operations = Object.entries<Json>(paths).flatMap(([path, item]) =>
      Object.entries<Json>(item).map(([method, operation]) => ({ path, method, operation })),
    );
  });
  afterAll(() => test.close());

  it('has examples that the service accepts', async () => {
    const bodies = operations.flatMap(({ operation }) => Object.values<Json>(operation.requestBody?.content ?? {}));
    const example = (name: string) => bodies.find(({ schema }) => schema.$ref.endsWith(`/${name}`)).example;
    const registered = await test.client().post('/auth/register', example('RegisterDto'));
    expect(registered.status).toBe(201);
    const expected: Record<string, number> = {
      '/auth/verify-otp VerifyOtpDto': 400,
      '/auth/login LoginDto': 403,
      '/auth/refresh-token RefreshTokenDto': 401,
      '/auth/forgot-password ForgotPasswordDto': 200,
      '/auth/reset-password ResetPasswordDto': 400,
      '/auth/resend-otp ResendOtpDto': 200,
    };
    for (const [key, status] of Object.entries(expected)) {
      const [path, name] = key.split(' ') as [string, string];
      expect((await test.client().post(path, example(name))).status, key).toBe(status);
    }
    // Whoever tries one example after the other has the password of the first.
    const { email } = example('RegisterDto');
    const { otp } = await test.inbox.waitFor(email, 'email-verification');
    await test.client().post('/auth/verify-otp', { email, otp });
    const { body } = await test.client().post('/auth/login', example('LoginDto'));
    const person = test.client().as({ apiKey: API_KEY, bearer: body.data.token });
    expect((await person.post('/api/profile/password', example('ChangePasswordDto'))).status).toBe(200);
  });

  it('shows of each operation what it answers to a wrong field', async () => {
    const { api } = await test.personas.admin();
    const examples = operations.flatMap(({ path, method, operation }) => {
      const example = operation.responses[422]?.content['application/json'].examples.validation_failed;
      return example ? [{ path, method, operation, example: example.value }] : [];
    });
    expect(examples.length).toBeGreaterThan(20);
    for (const { path, method, operation, example } of examples) {
      const [{ field }] = example.errors;
      const inQuery = operation.parameters.some(({ name, in: place }: Json) => name === field && place === 'query');
      const inPath = path.includes(`{${field}}`);
      const wrong = path.replace(`{${field}}`, 'x').replaceAll(/\{\w+\}/g, SOME_ID);
      const isMissing = inPath || operation.requestBody?.required;
      const { status, body } = await api.request(inQuery ? `${wrong}?${field}=x` : wrong, {
        method: method.toUpperCase(),
        body: operation.requestBody && (isMissing ? {} : { [field]: 1 }),
      });
      const { operationId } = operation;
      expect({ operationId, status }).toEqual({ operationId, status: 422 });
      expect(body.errors, operationId).toContainEqual(example.errors[0]);
    }
  });
});
