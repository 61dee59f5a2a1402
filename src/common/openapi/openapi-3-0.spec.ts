import type { OpenAPIObject } from '@nestjs/swagger';
import { describe, expect, it } from 'vitest';
import { toOpenApi30 } from './openapi-3-0.js';

describe('toOpenApi30', () => {
  it.each<[what: string, schema: object, expected: object]>([
    ['one of several types', { type: ['string', 'integer'] }, { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
    [
      'one of several types, or null',
      { type: ['string', 'integer', 'null'] },
      { anyOf: [{ type: 'string' }, { type: 'integer' }], nullable: true },
    ],
    ['a choice of one', { anyOf: [{ enum: ['a', 'b'] }] }, { anyOf: [{ enum: ['a', 'b'] }] }],
    [
      'a value or null',
      { anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] },
      { enum: ['a', 'b', null], nullable: true },
    ],
    ['a constant with an example', { const: 'a', examples: ['a'] }, { enum: ['a'], example: 'a' }],
    [
      'a reference with a description',
      { $ref: '#/x', description: 'y' },
      { allOf: [{ $ref: '#/x' }], description: 'y' },
    ],
  ])('tells of %s', (_what, schema, expected) => {
    const document = { openapi: '3.1.0', components: { schemas: { Some: schema } } } as unknown as OpenAPIObject;
    expect(toOpenApi30(document)).toEqual({ openapi: '3.0.3', components: { schemas: { Some: expected } } });
  });
});
