import {
  ConflictException,
  Controller,
  ForbiddenException,
  Get,
  HttpException,
  MethodNotAllowedException,
  Module,
  NotFoundException,
  Param,
  RequestTimeoutException,
  Res,
  UnauthorizedException,
  UnprocessableEntityException,
} from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Schema } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Public } from '../../src/common/access/index.js';
import { ServesPages } from '../../src/common/pages/index.js';
import { newRegistration } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const circular: Record<string, unknown> = { secret: 'innards' };
circular.self = circular;

const FAULTS: Record<string, () => unknown> = {
  'throws an error': () => {
    throw new Error('innards');
  },
  'throws a text': () => {
    throw 'innards';
  },
  'throws nothing': () => {
    throw undefined;
  },
  'throws an exception of Nest that stands for none of our errors': () => {
    throw new ConflictException('innards');
  },
  'throws an error with a circular cause': () => {
    throw new Error('innards', { cause: circular });
  },
  'rejects later': async () => {
    await new Promise(setImmediate);
    throw Object.assign(new Error('innards'), { statusCode: 200, status: 200 });
  },
  'answers what is no JSON': () => circular,
  'answers what JSON refuses': () => ({ secret: 10n }),
};

const REFUSALS: Record<string, Error> = {
  authentication_required: new UnauthorizedException('innards'),
  role_required: new ForbiddenException('innards'),
  not_found: new NotFoundException('innards'),
  method_not_allowed: new MethodNotAllowedException('innards'),
  validation_failed: new UnprocessableEntityException('innards'),
  too_many_requests: new HttpException('innards', 429),
  service_unavailable: new RequestTimeoutException('innards'),
};

@ApiExcludeController()
@Controller('faults')
class FaultsController {
  @Get('refusals/:code')
  @Public({ limit: 'none' })
  refuse(@Param('code') code: string): never {
    throw REFUSALS[code];
  }

  @Get('file')
  @Public({ limit: 'none' })
  breakOff(@Res({ passthrough: true }) reply: FastifyReply): never {
    void reply.type('text/csv');
    throw new NotFoundException('innards');
  }

  @Get('hang')
  @Public({ limit: 'none' })
  hang(): Promise<never> {
    return new Promise(() => undefined);
  }

  @Get('hang-for-people')
  @Public({ limit: 'none' })
  @ServesPages(({ message }) => ({ title: 'Not now', body: message }))
  hangForPeople(): Promise<never> {
    return new Promise(() => undefined);
  }

  @Get(':name')
  @Public({ limit: 'none' })
  fail(@Param('name') name: string): unknown {
    return FAULTS[name]?.();
  }
}

@Module({ controllers: [FaultsController] })
class FaultsModule {}

describe('A fault of our own', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ extensions: [FaultsModule] });
  });
  afterAll(() => test.close());

  for (const name of Object.keys(FAULTS)) {
    it(`tells nothing, and fails nobody else: a handler that ${name}`, async () => {
      const { status, body, text, headers } = await test.client().get(`/faults/${encodeURIComponent(name)}`);
      expect(status).toBe(500);
      expect(body).toEqual({ error: true, code: 'internal_error', message: 'Internal server error', data: null });
      expect(headers.get('x-request-id')).toMatch(/.+/);
      expect(text).not.toMatch(/innards|JSON|BigInt|circular/i);
      expect((await test.client().get('/health/live')).status).toBe(200);
    });
  }
});

describe('A handler that hangs', () => {
  it('is answered for in time: programs with our envelope, people with a page', async () => {
    const test = await startTestApp({ extensions: [FaultsModule] });
    const [answer, page] = await Promise.all(
      ['/faults/hang', '/faults/hang-for-people'].map((path) => test.client().get(path)),
    );
    expect([answer?.status, answer?.body.code]).toEqual([503, 'service_unavailable']);
    expect([page?.status, page?.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect(page?.text).toContain('Not now');
    for (const one of [answer, page]) expect(Number(one?.headers.get('retry-after'))).toBeGreaterThan(0);
    await test.close();
  });
});

describe('A refusal by an exception of Nest', () => {
  it('is the error of ours that it stands for', async () => {
    const test = await startTestApp({ extensions: [FaultsModule] });
    for (const [code, status, hint] of [
      ['authentication_required', 401],
      ['role_required', 403],
      ['not_found', 404],
      ['method_not_allowed', 405],
      ['validation_failed', 422, { errors: [] }],
      ['too_many_requests', 429, { retry_after: 5 }],
      ['service_unavailable', 503, { retry_after: 5 }],
    ] as [string, number, object?][]) {
      const answer = await test.client().get(`/faults/refusals/${code}`);
      expect([answer.status, answer.body.code]).toEqual([status, code]);
      expect(answer.body).toMatchObject(hint ?? {});
      expect(answer.headers.get('allow')).toBe(status === 405 ? 'GET, HEAD' : null);
      expect(answer.text).not.toContain('innards');
    }
    await test.close();
  });
});

describe('A handler that fails after it has said what it would answer with', () => {
  it('answers with the envelope, as JSON', async () => {
    const test = await startTestApp({ extensions: [FaultsModule] });
    const { status, headers, body } = await test.client().get('/faults/file');
    expect([status, headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    expect(body).toEqual({ error: true, code: 'not_found', message: 'Not found', data: null });
    await test.close();
  });
});

describe('A database that is empty', () => {
  it('has its unique indexes before the first request: one of twenty registrations at once wins', async () => {
    const test = await startTestApp();
    const registration = newRegistration();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => test.client().post('/auth/register', registration)),
    );
    const users = await test.database.collection('users').countDocuments({ email: registration.email });
    await test.close();
    expect(answers.filter(({ status }) => status === 201).length).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 422]));
    expect(users).toBe(1);
  });
});

describe('A database with an index of other options', () => {
  it('is told with the collection that has it', async () => {
    const things = (unique: boolean) => new Schema({ a: Number }, { collection: 'things' }).index({ a: 1 }, { unique });
    const models = [false, true].map((unique) => ({ name: `Thing${unique}`, schema: things(unique) }));
    await expect(startTestApp({ extensions: [MongooseModule.forFeature(models)] })).rejects.toThrow(
      'The indexes of things cannot be made: An existing index has the same name as the requested index',
    );
  });
});
