import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  Body,
  Controller,
  Get,
  Headers,
  Module,
  Post,
  Put,
  type MessageEvent,
  type OnModuleDestroy,
  type RawBodyRequest,
  Req,
  Sse,
  StreamableFile,
} from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { ApiExcludeEndpoint, ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import {
  catchError,
  concatMap,
  EMPTY,
  interval,
  map,
  merge,
  type Observable,
  of,
  Subject,
  takeUntil,
  timer,
} from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Protected, Public } from '../../src/common/access/index.js';
import { ApiError } from '../../src/common/errors/index.js';
import { createOpenApiDocument, Operation } from '../../src/common/openapi/index.js';
import { IsPlainText } from '../../src/common/validation/index.js';
import { duplicateKeyField } from '../../src/infrastructure/database/index.js';
import { Config } from '../../src/infrastructure/config/index.js';
import { AccessTokens, Authenticator, CurrentPrincipal, type Principal } from '../../src/security/index.js';
import { HOUR, startTestApp, type TestApp } from '../support/index.js';

const FORM = 'application/x-www-form-urlencoded';
/** Longer than the 4.5 s in which any other route answers. */
const A_WHILE_MS = 4_800;
const SECRET = 'shared with the sender';

async function* afterAWhile(): AsyncGenerator<string> {
  await pause(A_WHILE_MS);
  yield 'parcels\n1\n';
}

class LabelsDto {
  @ApiProperty({ type: [String], example: ['urgent'] })
  @IsPlainText({ each: true })
  @ArrayMaxSize(3)
  @IsArray()
  labels: string[];
}

/** Its author forgot the example of one field. */
class WeightDto {
  @ApiProperty({ example: 7 })
  parcel: number;

  @ApiProperty({ type: [String] })
  scales: string[];
}

@Public()
@Controller('api/parcels')
class ParcelsController implements OnModuleDestroy {
  private readonly stopped = new Subject<void>();

  constructor(
    private readonly authenticator: Authenticator,
    private readonly config: Config,
  ) {}

  onModuleDestroy(): void {
    this.stopped.next();
  }

  @Get('list.csv')
  @Operation({ summary: 'Export parcels', description: 'As a file.', message: 'Parcels', produces: 'text/csv' })
  exportParcels(): StreamableFile {
    return new StreamableFile(Buffer.from('id\n1\n'), { type: 'text/csv' });
  }

  @Put('labels')
  @Operation({ summary: 'Put labels', description: 'In place of the old.', message: 'Labels', data: LabelsDto })
  putLabels(@Body() labels: LabelsDto): LabelsDto {
    return labels;
  }

  @Get('weight')
  @Operation({ summary: 'Weigh', description: 'All of them.', message: 'Weights', data: [WeightDto] })
  weighParcels(): WeightDto[] {
    return [];
  }

  @Get('slow.csv')
  @Operation({ summary: 'Count', description: 'Slowly.', message: 'Count', produces: 'text/csv', waits: true })
  countParcels(): StreamableFile {
    return new StreamableFile(Readable.from(afterAWhile()), { type: 'text/csv' });
  }

  @Sse('moves')
  @Protected()
  @Operation({ summary: 'Hear of moves', description: 'Live.', message: 'Moves', produces: 'text/event-stream' })
  hearOfMoves(@CurrentPrincipal() { userId, sessionId }: Principal): Observable<MessageEvent> {
    const signsOfLife = interval(100).pipe(
      concatMap(() => this.authenticator.authenticate({ id: userId, sid: sessionId })),
      map(() => ({ comment: '' })),
    );
    return merge(of({ data: { parcel: 7 } }), signsOfLife).pipe(
      takeUntil(timer(this.config.tokens.accessTtlMs)),
      takeUntil(this.stopped),
      catchError(() => EMPTY),
    );
  }

  @Post('forms')
  @Operation({ summary: 'Send a form', description: 'Signed.', message: 'Form', consumes: FORM, bodyLimit: 40_000 })
  takeForm(@Req() { body, rawBody }: RawBodyRequest<FastifyRequest>): object {
    return { body, bytes: rawBody?.length };
  }

  @Post('photos')
  @Operation({ summary: 'Upload', description: 'A photo.', message: 'Photo', consumes: 'multipart/form-data' })
  takePhoto(@Headers('x-refusal') refusal: string): void {
    throw Object.assign(new Error('as a plugin of Fastify does it'), JSON.parse(refusal));
  }

  @Post('arrivals')
  @ApiExcludeEndpoint()
  hearOfArrival(@Req() { rawBody }: RawBodyRequest<FastifyRequest>, @Headers('x-signature') signature: string): void {
    const expected = createHmac('sha256', SECRET)
      .update(rawBody ?? '')
      .digest('hex');
    if (signature !== expected) throw new ApiError('not_found');
  }
}

@Module({ controllers: [ParcelsController] })
class ParcelsModule {}

describe('A module of one’s own', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ extensions: [ParcelsModule] });
  });
  afterAll(() => test.close());

  it('answers with a file as it is', async () => {
    const { headers, text } = await test.client().get('/api/parcels/list.csv');
    expect(headers.get('content-type')).toBe('text/csv');
    expect(text).toBe('id\n1\n');
  });

  it('documents files and streams by their media type, and what they refuse as JSON', async () => {
    const { paths } = (await test.client().get('/openapi.json')).body;
    const { responses } = paths['/api/parcels/list.csv'].get;
    expect(responses[200].content).toEqual({ 'text/csv': { schema: { type: 'string' } } });
    expect(Object.keys(responses[429].content)).toEqual(['application/json']);
    expect(Object.keys(paths['/api/parcels/moves'].get.responses[200].content)).toEqual(['text/event-stream']);
    expect(paths['/api/parcels/forms'].post.description).toBe('Signed. The body has at most 40,000 bytes.');
  });

  it('is documented though an example was forgotten, which whoever writes the document down is told', async () => {
    const { status, body } = await test.client().get('/openapi.json');
    const { example } = body.paths['/api/parcels/weight'].get.responses[200].content['application/json'];
    expect([status, example]).toEqual([200, { error: false, message: 'Weights', data: [{ parcel: 7, scales: [] }] }]);
    expect((await test.client().get('/docs/swagger-ui-init.js')).status).toBe(200);
    const missing: string[] = [];
    createOpenApiDocument(test.app, (path) => missing.push(path));
    expect(missing).toEqual(['.data of WeightDto.scales']);
  });

  it('sends events until the session ends', async () => {
    const ada = await test.personas.user();
    const stream = await ada.api.open('/api/parcels/moves');
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const sent = stream.text();
    await pause(250);
    await ada.client.post('/auth/its-not-me', { refresh_token: ada.refresh_token }, { bearer: ada.token });
    expect(await sent).toMatch(/^\nid: 1\ndata: \{"parcel":7\}\n\n(: \n\n)+$/);
    expect((await ada.api.get('/api/parcels/moves')).body.code).toBe('reported_not_me');
  });

  it('sends events until the service stops, and keeps it from nothing', async () => {
    const stopping = await startTestApp({ extensions: [ParcelsModule] });
    const ada = await stopping.personas.user();
    const sent = (await ada.api.open('/api/parcels/moves')).text();
    await stopping.close();
    expect(await sent).toContain('{"parcel":7}');
  });

  it('takes longer than any other where it says so', async () => {
    const { status, text } = await test.client().get('/api/parcels/slow.csv');
    expect([status, text]).toEqual([200, 'parcels\n1\n']);
  });

  it('takes forms, with the bytes that were signed, and larger bodies, where it says so', async () => {
    const headers = { 'content-type': `${FORM}; charset=utf-8` };
    const send = (body: string, type = headers) => test.client().post('/api/parcels/forms', body, { headers: type });
    expect((await send('parcel=7')).body.data).toEqual({ body: { parcel: '7' }, bytes: 8 });
    expect((await send(`parcel=${'7'.repeat(30_000)}`)).status).toBe(200);
    expect((await send(`parcel=${'7'.repeat(40_000)}`)).body.code).toBe('payload_too_large');
    const inNoUtf8 = Buffer.from([...Buffer.from('parcel='), 0xff]);
    const unread = await fetch(`${test.url}/api/parcels/forms`, { method: 'POST', headers, body: inNoUtf8 });
    expect([unread.status, await unread.json()]).toMatchObject([400, { code: 'malformed_request' }]);
    const refused = await send('{}', { 'content-type': 'application/json' });
    expect([refused.status, refused.headers.get('accept')]).toEqual([415, FORM]);
    expect((await test.client().post('/api/parcels/arrivals', 'parcel=7', { headers })).status).toBe(415);
  });

  it('passes on what a plugin of Fastify refuses, and nobody else’s status', async () => {
    const refuse = async (refusal: object) => {
      const headers = { 'x-refusal': JSON.stringify(refusal) };
      const { status, body } = await test.client().post('/api/parcels/photos', undefined, { headers });
      return [status, body.code];
    };
    expect(await refuse({ code: 'FST_REQ_FILE_TOO_LARGE', statusCode: 413 })).toEqual([413, 'payload_too_large']);
    expect(await refuse({ code: 'FST_INVALID_MULTIPART', statusCode: 406 })).toEqual([400, 'malformed_request']);
    expect(await refuse({ code: 'FST_ERR', statusCode: 500 })).toEqual([500, 'internal_error']);
    expect(await refuse({ code: 'card_declined', statusCode: 402 })).toEqual([500, 'internal_error']);
  });

  it('is called by browsers with every method that routes can have', async () => {
    const { headers } = await test.client().request('/api/parcels/labels', {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'PUT' },
    });
    expect(headers.get('access-control-allow-methods')?.split(', ')).toContain('PUT');
  });

  it('verifies signatures over the bytes that were sent', async () => {
    const body = '{ "parcel":  7.0 }';
    const signature = createHmac('sha256', SECRET).update(body).digest('hex');
    const arrive = (sent: string) =>
      test.client().post('/api/parcels/arrivals', sent, { headers: { 'x-signature': signature } });
    expect((await arrive(body)).status).toBe(201);
    expect((await arrive(body.replace('7', '8'))).status).toBe(404);
  });

  it('takes each text of a list for a text', async () => {
    const put = async (labels: unknown[]) =>
      (await test.client().request('/api/parcels/labels', { method: 'PUT', body: { labels } })).body;
    expect((await put(['fragile', 'urgent'])).data.labels).toEqual(['fragile', 'urgent']);
    expect((await put([7])).errors).toEqual([{ field: 'labels', message: 'each value in labels must be a string' }]);
    expect((await put(['a\nb'])).errors[0].message).toMatch(/^each value in labels .+ control characters$/);
    expect((await put(['\ud800'])).errors[0].message).toMatch(/^each value in labels .+ well-formed/);
  });

  it('hears which field is taken where it is unique for each owner', async () => {
    const parcels = test.database.collection('parcels');
    await parcels.createIndex({ owner: 1, name: 1 }, { unique: true });
    await parcels.insertOne({ owner: 'ada', name: 'books' });
    await parcels.insertOne({ owner: 'bob', name: 'books' });
    const error = await parcels.insertOne({ owner: 'ada', name: 'books' }).catch((refusal: unknown) => refusal);
    expect(duplicateKeyField(error)).toBe('name');
  });

  it('leaves the messages of a WebSocket to their gateway, which Nest hands to every guard of the application', async () => {
    const guards = test.app.get(ApplicationConfig).getGlobalGuards();
    expect(guards.length).toBeGreaterThan(3);
    const message = new ExecutionContextHost([{}, { event: 'hello' }], ParcelsController, () => undefined);
    message.setType('ws');
    for (const guard of guards) expect(await guard.canActivate(message)).toBe(true);
  });

  it('asks whether a token still stands for somebody, where no guard does', async () => {
    const ada = await test.personas.user();
    const [tokens, authenticator] = [test.app.get(AccessTokens), test.app.get(Authenticator)];
    const claims = tokens.verify(ada.token);
    expect(await authenticator.authenticate(claims)).toMatchObject({ userId: ada.userId });
    expect(() => tokens.verify(`${ada.token}x`)).toThrow(expect.objectContaining({ code: 'token_invalid' }));
    expect(() => tokens.verify(ada.refresh_token)).toThrow(expect.objectContaining({ code: 'token_invalid' }));
    await ada.client.post('/auth/its-not-me', { refresh_token: ada.refresh_token }, { bearer: ada.token });
    await expect(authenticator.authenticate(claims)).rejects.toMatchObject({ code: 'reported_not_me' });
    test.clock.advance(2 * HOUR);
    expect(() => tokens.verify(ada.token)).toThrow(expect.objectContaining({ code: 'token_expired' }));
  });
});
