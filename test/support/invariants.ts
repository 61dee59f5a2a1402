import { expect } from 'vitest';
import { ERROR_CODES } from '../../src/common/errors/index.js';
import type { ApiResponse } from './api-client.js';
import type { TestApp } from './test-app.js';

/** Words of frameworks, drivers and stacks: none may leave the service. */
const INNARDS =
  /mongo|mongoose|E11000|CastError|ioredis|fastify|FST_|nestjs|Exception\b|node_modules|\bat (?:Object|async|new)\b|\.[jt]s:\d+|undefined/i;

/** What holds for every refusal, whatever was refused: our envelope, a code of the list, our headers, no innards, no 5xx. */
export function expectRefusal(
  path: string,
  { status, body, text, headers }: ApiResponse,
  expected: number | number[],
): void {
  const label = `${path} -> ${status} ${text.slice(0, 200)}`;
  expect([expected].flat(), label).toContain(status);
  expect(status, label).toBeLessThan(500);
  expect(headers.get('content-type'), label).toBe('application/json; charset=utf-8');
  expect(headers.get('cache-control'), label).toBe('no-store');
  expect(headers.get('x-content-type-options'), label).toBe('nosniff');
  expect(headers.get('x-request-id'), label).toMatch(/.+/);
  expect(headers.get('set-cookie'), label).toBeNull();
  expect(ERROR_CODES, label).toContain(body.code);
  if (path.startsWith('/auth'))
    expect(body, label).toMatchObject({ status_code: status, status: 'ERROR', message: expect.any(String) });
  else expect(body, label).toMatchObject({ error: true, message: expect.any(String) });
  expect(text, label).not.toMatch(INNARDS);
  if (status === 401) expect(headers.get('www-authenticate'), label).toMatch(/^(?:Bearer|ApiKey) realm=/);
  if (status === 422) expect(body.errors.length, label).toBeGreaterThan(0);
}

/** Everything stored save the record of security events, which is to grow with every refusal. */
export async function storedState(test: TestApp): Promise<string> {
  const collections = await test.database.listCollections();
  const names = collections.map(({ name }) => name).filter((name) => name !== 'security_events');
  const contents = await Promise.all(
    names.sort().map(async (name) => [name, await test.database.collection(name).find().sort({ _id: 1 }).toArray()]),
  );
  return JSON.stringify(contents);
}
