import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import { expectDocumented } from '../support/documented-answers.js';
import { startTestApp } from '../support/test-app.js';

// OpenAPI 3.0 lets no null through an `allOf`, and yet that is how generators take it.
const NULL_BESIDE_REF = ['nullable-type-sibling', 'no-invalid-schema-examples', 'no-invalid-media-type-examples'];

describe.each([
  { name: 'openapi.json', lax: { redocly: [] as string[], spectral: [] as string[] } },
  { name: 'openapi-3.0.json', lax: { redocly: NULL_BESIDE_REF, spectral: ['oas3-valid-media-example'] } },
])('$name', ({ name, lax }) => {
  const file = new URL(`../../${name}`, import.meta.url);
  const source = readFileSync(file, 'utf8');

  it('is what the service serves (else: npm run openapi)', async () => {
    const test = await startTestApp();
    const { body } = await test.client().get(`/${name}`);
    await test.close();
    expect(JSON.parse(source)).toEqual(body);
  });

  it('is clean by the rules that Redocly recommends', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: Object.fromEntries(lax.redocly.map((rule) => [rule, 'off'])),
    });
    const problems = await lintFromString({ source, absoluteRef: file.pathname, config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('is clean by the rules of spectral:oas', async () => {
    const spectral = new spectralCore.Spectral();
    const rules = Object.fromEntries(lax.spectral.map((rule) => [rule, 'off']));
    spectral.setRuleset({ extends: [rulesets.oas as never], rules: rules as never });
    const problems = await spectral.run(source);
    expect(problems.map(({ code, message, path }) => [code, message, path.join('.')])).toEqual([]);
  });
});

describe('An answer in a test', () => {
  const body = { status_code: 200, status: 'SUCCESS', message: 'OTP verified', data: { verified: true } };
  const headers = new Headers({ 'x-request-id': 'x', ratelimit: 'x', 'ratelimit-policy': 'x' });
  const check = (answer: object) => () =>
    expectDocumented('POST', '/auth/verify-otp', { status: 200, headers, body, ...answer });

  it('passes when it is as documented', () => expect(check({})).not.toThrow());

  it.each([
    ['a status', { status: 204 }],
    ['a status that other paths have', { status: 404 }],
    ['a field', { body: { ...body, extra: 1 } }],
    ['a field further in', { body: { ...body, data: { verified: true, extra: 1 } } }],
  ])('fails with %s that is not documented', (_what, answer) => expect(check(answer)).toThrow(/[Nn]ot.*documented/));

  it.each([
    ['a field', { body: { ...body, data: {} } }],
    ['a body', { body: null }],
    ['a header', { headers: new Headers({ 'x-request-id': 'x' }) }],
  ])('fails without %s that is documented', (_what, answer) => expect(check(answer)).toThrow(/documented/));
});
