import { Readable } from 'node:stream';
import {
  Body,
  Controller,
  DefaultValuePipe,
  Delete,
  Get,
  Headers,
  Module,
  Param,
  ParseBoolPipe,
  ParseFloatPipe,
  ParseIntPipe,
  Post,
  Query,
  Res,
  StreamableFile,
  type Type,
} from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiProperty, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiKeyOnly, Protected, Public } from '../../src/common/access/index.js';
import { Operation } from '../../src/common/openapi/index.js';
import { IdParamDto, IsPlainText } from '../../src/common/validation/index.js';
import { API_KEY, startTestApp, type TestApp } from '../support/index.js';

const FORM = 'application/x-www-form-urlencoded';

class BoxDto {
  @ApiProperty({ example: 'a box' })
  label: string;

  @ApiProperty({ type: () => [BoxDto] })
  boxes: BoxDto[];

  @ApiProperty({ type: () => BoxDto, nullable: true })
  around: BoxDto | null;
}

class LetterDto {
  @ApiProperty({ example: 'Dear Ada' })
  @IsPlainText()
  text: string;
}

class FormDto {
  @ApiProperty()
  @IsPlainText()
  name: string;
}

/** Called as the answer of `getAttic` would be. */
class GetAtticAnswer {
  @ApiProperty({ example: 'The lid is closed' })
  reply: string;

  @ApiProperty({ type: String, enum: ['oak', 'tin'], nullable: true, example: 'oak' })
  material: string | null;

  @ApiProperty({ anyOf: [{ type: 'integer', exclusiveMinimum: true, minimum: 0 }, { type: 'boolean' }], example: 3 })
  locks: number | boolean;

  @ApiProperty({ enum: ['up'] })
  position: string;

  @ApiProperty({ oneOf: [{ $ref: getSchemaPath(BoxDto) }, { type: 'string' }] })
  content: BoxDto | string;
}

/** Fields that are called like keywords of JSON Schema. */
class WordsDto {
  @ApiProperty({ example: 'a word' })
  example: string;

  @ApiProperty({ example: true })
  default: boolean;

  @ApiProperty({ example: ['a'], type: [String] })
  enum: string[];

  @ApiProperty({ example: ['a', 'b'], type: [String] })
  allOf: string[];

  @ApiProperty({ example: 3, minimum: 0, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false })
  required: number;
}

const described = (data?: Type, status?: number) => ({
  summary: 'Boxes',
  description: 'Of the attic.',
  message: 'Boxes',
  data,
  status,
});

@Protected()
@Controller('api/attic')
class AtticController {
  picture: Readable;

  @Get()
  @Operation(described(BoxDto))
  getAttic(): BoxDto {
    return { label: 'attic', boxes: [], around: null };
  }

  @Get('lid')
  @Operation(described(GetAtticAnswer))
  getLid(): GetAtticAnswer {
    return { reply: 'open', material: null, locks: false, position: 'up', content: 'a key' };
  }

  @Post('letters')
  @ApiBody({ type: LetterDto, examples: { short: { value: { text: 'Hi' } } } })
  @Operation(described())
  sendLetter(@Body() _letter: LetterDto): void {}

  @Post('forms')
  @ApiBody({ type: FormDto })
  @Operation({ ...described(), consumes: FORM })
  sendForm(@Body() _form: FormDto): void {}

  @Get('words')
  @ApiKeyOnly()
  @Operation(described(WordsDto))
  getWords(): WordsDto {
    return { example: 'e', default: false, enum: [], allOf: [], required: 1 };
  }

  @Get('door')
  @Public({ limit: 'none', errors: ['too_many_requests'] })
  @Operation(described())
  getDoor(): void {}

  @Delete('boxes/:id')
  @Operation(described(undefined, 204))
  removeBox(@Param() _box: IdParamDto): void {}

  @Get('shelves/:name')
  @Public()
  @Operation(described())
  getShelf(@Param('name') _name: string): void {}

  @Get('measures/:n')
  @Public()
  @Operation(described())
  measure(
    @Param('n', ParseIntPipe) n: number,
    @Query('open', new DefaultValuePipe(false), ParseBoolPipe) open: boolean,
    @Query('height', new DefaultValuePipe(2.5), ParseFloatPipe) height: number,
  ): object {
    return { n, open, height };
  }

  @Get('plan.txt')
  @Public()
  @Operation({ ...described(), produces: 'text/plain' })
  getPlan(): string {
    return 'a plan';
  }

  @Get('picture.png')
  @Public()
  @ApiHeader({ name: 'if-none-match', required: false })
  @Operation({ ...described(), produces: 'image/png' })
  getPicture(@Headers('if-none-match') known: string, @Res({ passthrough: true }) reply: FastifyReply): StreamableFile {
    if (known) void reply.status(304);
    this.picture = Readable.from(['a picture']);
    return new StreamableFile(this.picture);
  }

  @Post('lists')
  @Public()
  @ApiBody({ schema: { type: 'object', properties: { title: { type: 'string', example: 'a list' } } } })
  @Operation(described())
  addList(@Body(new DefaultValuePipe({})) _list: object): void {}

  @Get('tags')
  @Public()
  @ApiHeader({ name: 'if-none-match', required: false })
  @ApiOkResponse({ headers: { etag: { description: 'Of these tags', schema: { type: 'string' } } } })
  @ApiResponse({ status: 304, description: 'Nothing is new' })
  @ApiResponse({ status: 409, type: BoxDto })
  @Operation(described(BoxDto))
  getTags(@Headers('if-none-match') known: string, @Res({ passthrough: true }) reply: FastifyReply): BoxDto {
    void reply.header('etag', '"7"').status(known === '"7"' ? 304 : 200);
    return { label: 'tags', boxes: [], around: null };
  }

  @Post('boxes')
  @Operation(described(BoxDto, 201))
  addBox(): BoxDto {
    return { label: 'new', boxes: [], around: null };
  }
}

@Module({ controllers: [AtticController] })
class AtticModule {}

describe('The document of a module of one’s own', () => {
  let test: TestApp;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  let document: any;
  beforeAll(async () => {
    test = await startTestApp({ extensions: [AtticModule] });
    document = (await test.client().get('/openapi.json')).body;
  });
  afterAll(() => test.close());

  const operation = (path: string, method = 'get') => document.paths[`/api/attic${path}`][method];

  it('says who may call a route whose access is another than its controller’s', async () => {
    expect(operation('').security).toEqual([{ api_key: [], bearer: [] }]);
    expect(operation('/words').security).toEqual([{ api_key: [] }]);
    expect(operation('/door').security).toEqual([]);
    expect((await test.client().get('/api/attic/words', { apiKey: API_KEY })).status).toBe(200);
    expect((await test.client().get('/api/attic/door')).status).toBe(200);
    expect(Object.keys(operation('/door').responses)).not.toContain('401');
    expect(Object.keys(operation('/door')).filter((key) => key.startsWith('x-'))).toEqual([]);
  });

  it('promises the headers of a limit where there is one, and not where only an account has one', async () => {
    expect(Object.keys(operation('').responses['200'].headers)).toContain('ratelimit');
    expect(Object.keys(operation('/door').responses['200'].headers)).not.toContain('ratelimit');
    expect(Object.keys(operation('/door').responses)).toContain('429');
    expect((await test.client().get('/api/attic/door')).headers.get('ratelimit')).toBeNull();
  });

  it('shows what contains itself once', () => {
    expect(operation('').responses['200'].content['application/json'].example.data).toEqual({
      label: 'a box',
      boxes: [],
      around: null,
    });
  });

  it('names the types of answers, and writes out one whose name a class has', () => {
    const schemaOf = (path: string) => operation(path).responses['200'].content['application/json'].schema;
    expect(schemaOf('/lid')).toEqual({ $ref: '#/components/schemas/GetLidAnswer' });
    expect(Object.keys(document.components.schemas.GetAtticAnswer.properties)).toContain('reply');
    expect(schemaOf('').properties.data).toEqual({ $ref: '#/components/schemas/BoxDto' });
    const { example } = operation('/lid').responses['200'].content['application/json'];
    expect(example.data).toMatchObject({ position: 'up', content: { label: 'a box' } });
  });

  it('tells fields from the keywords that they are called by', () => {
    const { properties, required } = document.components.schemas.WordsDto;
    expect(required).toEqual(['example', 'default', 'enum', 'allOf', 'required']);
    expect(Object.keys(properties)).toEqual(required);
    expect(properties.example).toEqual({ type: 'string', examples: ['a word'] });
    expect(properties.default).toEqual({ type: 'boolean', examples: [true] });
    expect(properties.allOf).toEqual({ type: 'array', items: { type: 'string' }, examples: [['a', 'b']] });
    expect(properties.required).toEqual({ type: 'number', exclusiveMinimum: 0, maximum: 5, examples: [3] });
  });

  it('is told in OpenAPI 3.0 too', async () => {
    const { components, paths } = (await test.client().get('/openapi-3.0.json')).body;
    const { BoxDto, WordsDto, GetAtticAnswer } = components.schemas;
    expect(BoxDto.properties.around).toEqual({ nullable: true, allOf: [{ $ref: '#/components/schemas/BoxDto' }] });
    expect(Object.keys(WordsDto.properties)).toEqual(WordsDto.required);
    expect(WordsDto.properties.allOf).toEqual({ type: 'array', items: { type: 'string' }, example: ['a', 'b'] });
    expect(WordsDto.properties.required).toEqual({
      type: 'number',
      minimum: 0,
      exclusiveMinimum: true,
      maximum: 5,
      example: 3,
    });
    const material = { type: 'string', enum: ['oak', 'tin', null], nullable: true, example: 'oak' };
    const locks = { anyOf: [{ type: 'integer', minimum: 0, exclusiveMinimum: true }, { type: 'boolean' }], example: 3 };
    expect(GetAtticAnswer.properties).toMatchObject({ material, locks, position: { type: 'string', example: 'up' } });
    expect(GetAtticAnswer.properties.position).not.toHaveProperty('enum');
    expect(paths['/api/attic/letters'].post.requestBody.content['application/json'].examples).toEqual({
      short: { value: { text: 'Hi' } },
    });
  });

  it('shows the example of a JSON body, unless there are others', () => {
    const contentOf = (path: string) => operation(path, 'post').requestBody.content;
    expect(contentOf('/letters')['application/json']).toEqual({
      schema: { $ref: '#/components/schemas/LetterDto' },
      examples: { short: { value: { text: 'Hi' } } },
    });
    expect(contentOf('/forms')[FORM]).toEqual({ schema: { $ref: '#/components/schemas/FormDto' } });
  });

  it('has no content where the answer has none', async () => {
    expect(operation('/boxes/{id}', 'delete').responses['204'].content).toEqual({});
    const user = await test.personas.user();
    const credentials = { apiKey: API_KEY, bearer: user.token };
    const removed = await test.client().delete('/api/attic/boxes/66f2a1b3c4d5e6f708192a3b', credentials);
    expect([removed.status, removed.text]).toEqual([204, '']);
  });

  it.each([
    ['3?open=banana', 400],
    ['3?height=', 400],
    ['0x10', 400],
    ['%20', 400],
    ['3?open=true&height=0.5', { n: 3, open: true, height: 0.5 }],
    ['3', { n: 3, open: false, height: 2.5 }],
  ])('leaves what is of no class to its pipe, which reads it as it came: %s', async (path, expected) => {
    const { status, body } = await test.client().get(`/api/attic/measures/${path}`);
    if (typeof expected === 'number') expect([status, body.code]).toEqual([expected, 'malformed_request']);
    else expect(body.data).toEqual(expected);
  });

  it('promises the errors of the validation only where it has something to validate', () => {
    expect(Object.keys(operation('/shelves/{name}').responses)).not.toContain('422');
    expect(Object.keys(operation('/measures/{n}').responses)).not.toContain('422');
    expect(Object.keys(operation('/boxes/{id}', 'delete').responses)).toContain('422');
    expect(Object.keys(operation('/lists', 'post').responses), 'a body that is no object').toContain('422');
  });

  it('closes a file that the client has already', async () => {
    const { status, text } = await test.client().get('/api/attic/picture.png', { headers: { 'if-none-match': '"7"' } });
    expect([status, text]).toEqual([304, '']);
    await expect.poll(() => test.app.get(AtticController, { strict: false }).picture.destroyed).toBe(true);
  });

  it('tells texts from what is none', async () => {
    const contentOf = (path: string) => operation(path).responses['200'].content;
    expect(contentOf('/plan.txt')).toEqual({ 'text/plain': { schema: { type: 'string' } } });
    expect(contentOf('/picture.png')).toEqual({ 'image/png': { schema: { type: 'string', format: 'binary' } } });
    expect((await test.client().get('/api/attic/plan.txt')).text).toBe('a plan');
  });

  it('has the headers and further answers of which decorators of @nestjs/swagger tell', async () => {
    const { 200: found, 304: unchanged } = operation('/tags').responses;
    expect(found.headers).toMatchObject({ etag: { description: 'Of these tags' }, 'x-request-id': expect.anything() });
    expect(found.content['application/json'].example.data.label).toBe('a box');
    expect(unchanged).toMatchObject({ description: 'Nothing is new', headers: { 'x-request-id': expect.anything() } });
    expect(Object.keys(operation('/tags').responses), 'an error').not.toContain('409');
    const first = await test.client().get('/api/attic/tags');
    expect([first.status, first.body.data.label]).toEqual([200, 'tags']);
    const again = await test.client().get('/api/attic/tags', { headers: { 'if-none-match': '"7"' } });
    expect([again.status, again.text]).toEqual([304, '']);
    expect(again.headers.get('content-length'), 'that of an envelope').toBeNull();
  });
});
