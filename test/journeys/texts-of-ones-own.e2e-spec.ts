import { Controller, Get, Header } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Public } from '../../src/common/access/index.js';
import { Operation } from '../../src/common/openapi/index.js';
import { startTestApp, type TestApp } from '../support/index.js';

const PICTURE = Buffer.from([0x89, 0x50, 0xff]);

@Public()
@Controller('api/parcels')
class ParcelsController {
  @Get('list.txt')
  @Operation({ summary: 'List parcels', description: 'As a text.', message: 'Parcels', produces: 'text/plain' })
  listParcels(): string {
    return 'ein Päckchen';
  }

  @Get('label.png')
  @Header('content-type', 'image/png; version=1')
  @Operation({ summary: 'Show', description: 'As a picture.', message: 'Label', produces: 'image/png' })
  showLabel(): Buffer {
    return PICTURE;
  }

  @Get('name')
  @Operation({ summary: 'Name', description: 'As JSON.', message: 'Name' })
  nameParcel(): string {
    return 'ein Päckchen';
  }
}

describe('A module of one’s own', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ extensions: [{ module: class {}, controllers: [ParcelsController] }] });
  });
  afterAll(() => test.close());

  const answerOf = async (path: string) => {
    const answer = await fetch(`${test.url}/api/parcels/${path}`);
    return [answer.headers.get('content-type'), Buffer.from(await answer.arrayBuffer())];
  };

  it('answers with a text, or with bytes, of the media type that it has documented or set', async () => {
    expect(await answerOf('list.txt')).toEqual(['text/plain; charset=utf-8', Buffer.from('ein Päckchen')]);
    expect(await answerOf('label.png')).toEqual(['image/png; version=1', PICTURE]);
  });

  it('answers with a text in the envelope where it has documented none', async () => {
    const { headers, body } = await test.client().get('/api/parcels/name');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toEqual({ error: false, message: 'Name', data: 'ein Päckchen' });
  });
});
