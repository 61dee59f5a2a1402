import { createHmac } from 'node:crypto';
import {
  Body,
  Controller,
  Get,
  Headers,
  Module,
  Post,
  Put,
  type RawBodyRequest,
  Req,
  StreamableFile,
} from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { ApiExcludeEndpoint, ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Public } from '../../src/common/access/index.js';
import { ApiError } from '../../src/common/errors/index.js';
import { Operation } from '../../src/common/openapi/index.js';
import { IsPlainText } from '../../src/common/validation/index.js';
import { duplicateKeyField } from '../../src/infrastructure/database/index.js';
import { AccessTokens, Authenticator } from '../../src/security/index.js';
import { HOUR, startTestApp, type TestApp } from '../support/index.js';

const SECRET = 'shared with the sender';

class LabelsDto {
  @ApiProperty({ type: [String], example: ['urgent'] })
  @IsPlainText({ each: true })
  @ArrayMaxSize(3)
  @IsArray()
  labels: string[];
}

@Public()
@Controller('api/parcels')
class ParcelsController {
  @Get('list.csv')
  @Operation({ summary: 'Export parcels', description: 'As a file.', message: 'Parcels' })
  exportParcels(): StreamableFile {
    return new StreamableFile(Buffer.from('id\n1\n'), { type: 'text/csv' });
  }

  @Put('labels')
  @Operation({ summary: 'Put labels', description: 'In place of the old.', message: 'Labels', data: LabelsDto })
  putLabels(@Body() labels: LabelsDto): LabelsDto {
    return labels;
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
