import { Controller, Module, Param, ParseIntPipe, Put, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiProperty,
  ApiResponse,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Public } from '../../src/common/access/index.js';
import { Operation } from '../../src/common/openapi/index.js';
import { startTestApp, type TestApp } from '../support/index.js';

class CrateDto {
  @ApiProperty({ example: 'of oak' })
  label: string;
}

class OrderDto {
  @ApiProperty({ example: '2026-12-24' })
  arrives: string;
}

const CRATE = { summary: 'Put a crate', description: 'Into its place.', message: 'Crate', data: CrateDto };

@Public()
@Controller()
class CratesController {
  @Put('api/crates/:status')
  @ApiCreatedResponse({ description: 'A new crate', headers: { etag: { description: 'Of it' } } })
  @ApiAcceptedResponse({ type: OrderDto })
  @ApiNoContentResponse()
  @ApiResponse({ status: 409, type: OrderDto })
  @Operation(CRATE)
  putCrate(
    @Param('status', ParseIntPipe) status: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): CrateDto | OrderDto | undefined {
    void reply.status(status);
    if (status === 204) return undefined;
    if (status === 202) return { arrives: 'tomorrow' };
    if (status === 201) void reply.header('etag', '"1"');
    return { label: 'of tin' };
  }

  @Put('auth/crates')
  @ApiCreatedResponse()
  @Operation(CRATE)
  putCrateThere(@Res({ passthrough: true }) reply: FastifyReply): CrateDto {
    void reply.status(201);
    return { label: 'of tin' };
  }

  @Put('api/labels/:status')
  @ApiCreatedResponse({ type: [CrateDto] })
  @Operation({ ...CRATE, data: undefined, produces: 'text/plain' })
  putLabels(@Param('status', ParseIntPipe) status: number, @Res({ passthrough: true }) reply: FastifyReply): unknown {
    void reply.status(status);
    return status === 201 ? [{ label: 'of tin' }] : 'of oak';
  }
}

@Module({ controllers: [CratesController] })
class CratesModule {}

describe('Further successes of an operation', () => {
  let test: TestApp;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  let document: any;
  beforeAll(async () => {
    test = await startTestApp({ extensions: [CratesModule] });
    document = (await test.client().get('/openapi.json')).body;
  });
  afterAll(() => test.close());

  const responsesOf = (path: string) => document.paths[path].put.responses;
  const jsonOf = ({ content }: { content: Record<string, { schema: { $ref: string }; example: unknown }> }) =>
    content['application/json']!;

  it('are documented with its data or their own', () => {
    const { 200: replaced, 201: created, 202: accepted, 204: empty } = responsesOf('/api/crates/{status}');
    expect([replaced.description, created.description, accepted.description]).toEqual([
      'Crate',
      'A new crate',
      'Crate',
    ]);
    expect(jsonOf(replaced).schema).toEqual({ $ref: '#/components/schemas/PutCrateAnswer' });
    expect(jsonOf(created)).toEqual(jsonOf(replaced));
    expect(created.headers).toEqual({ ...replaced.headers, etag: { description: 'Of it' } });
    expect(jsonOf(accepted).schema).toEqual({ $ref: '#/components/schemas/PutCrateAcceptedAnswer' });
    expect(jsonOf(accepted).example).toMatchObject({ data: { arrives: '2026-12-24' } });
    expect(accepted.headers).toEqual(replaced.headers);
    expect(empty.content).toEqual({});
    expect(document.components.schemas).not.toHaveProperty('PutCrateCreatedAnswer');
  });

  it('are no errors: those are said by the decorators that the service goes by', () => {
    expect(responsesOf('/api/crates/{status}')).not.toHaveProperty('409');
  });

  it.each([
    [200, 'of tin', null],
    [201, 'of tin', '"1"'],
    [202, undefined, null],
  ])('are answered where the handler sets the status: %i', async (wanted, label, etag) => {
    const { status, body, headers } = await test.client().put(`/api/crates/${wanted}`);
    expect([status, body.message, body.data.label, headers.get('etag')]).toEqual([wanted, 'Crate', label, etag]);
  });

  it('may be empty', async () => {
    const { status, text, headers } = await test.client().put('/api/crates/204');
    expect([status, text, headers.get('content-type')]).toEqual([204, '', null]);
  });

  it('say their status below /auth', async () => {
    const { 200: replaced, 201: created } = responsesOf('/auth/crates');
    expect(jsonOf(replaced).example).toMatchObject({ status_code: 200 });
    expect(jsonOf(created).example).toMatchObject({ status_code: 201 });
    expect(jsonOf(created).schema).toEqual({ $ref: '#/components/schemas/PutCrateThereCreatedAnswer' });
    expect((await test.client().put('/auth/crates')).body).toMatchObject({ status_code: 201, status: 'SUCCESS' });
  });

  it('may be JSON beside a text', async () => {
    const { 200: text, 201: json } = responsesOf('/api/labels/{status}');
    expect(text.content).toEqual({ 'text/plain': { schema: { type: 'string' } } });
    expect(jsonOf(json).example).toMatchObject({ data: [{ label: 'of oak' }] });
    expect((await test.client().put('/api/labels/200')).text).toBe('of oak');
    expect((await test.client().put('/api/labels/201')).body.data).toEqual([{ label: 'of tin' }]);
  });
});
