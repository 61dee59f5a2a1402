import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type ArgumentsHost,
  Catch,
  ConflictException,
  Controller,
  type ExceptionFilter,
  Get,
  Injectable,
  Module,
  StreamableFile,
} from '@nestjs/common';
import { APP_FILTER, BaseExceptionFilter, ExternalContextCreator } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import type { FastifyReply } from 'fastify';
import { Schema } from 'mongoose';
import { lastValueFrom, type Observable } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { AppModule } from '../../src/app.module.js';
import { Protected, Public } from '../../src/common/access/index.js';
import { ApiError, ERROR_CATALOGUE } from '../../src/common/errors/index.js';
import { ServedRoutes } from '../../src/common/http/index.js';
import { Operation } from '../../src/common/openapi/index.js';
import { ServesPages } from '../../src/common/pages/index.js';
import { duplicateKeyField } from '../../src/infrastructure/database/index.js';
import { ApiKeyGuard, JwtAuthGuard } from '../../src/security/index.js';
import { AccountsRepository } from '../../src/users/index.js';
import { startTestApp, type TestApp } from '../support/index.js';

type Collection = ReturnType<TestApp['database']['collection']>;

const A_MOMENT_MS = 200;

async function* inAMoment(): AsyncGenerator<string> {
  await pause(A_MOMENT_MS);
  yield 'late\n1\n';
}

@Public()
@Controller('api/parcels')
class ParcelFilesController {
  @Get('late.csv')
  @Operation({ summary: 'Find', description: 'Late.', message: 'Late', produces: 'text/csv' })
  async findLate(): Promise<StreamableFile> {
    await pause(A_MOMENT_MS);
    return new StreamableFile(Readable.from(inAMoment()), { type: 'text/csv' });
  }

  @Get('teapot')
  @Operation({ summary: 'Brew', description: 'No coffee.', message: 'Brewed' })
  brew(): never {
    throw new Teapot();
  }

  @Get('teapot.csv')
  @Operation({ summary: 'Pour', description: 'No tea.', message: 'Poured', produces: 'text/csv' })
  pour(): never {
    throw new Teapot();
  }

  @Get('teapot.html')
  @ServesPages(() => ({ title: 'No tea', body: 'None.' }))
  @ApiExcludeEndpoint()
  show(): never {
    throw new Teapot();
  }

  @Get('spill')
  @Operation({ summary: 'Spill', description: 'No milk.', message: 'Spilt' })
  spill(): never {
    throw new Spill();
  }

  @Get('clash')
  @ApiExcludeEndpoint()
  clash(): never {
    throw new ConflictException();
  }

  @Get('mine')
  @Protected()
  @Operation({ summary: 'Count', description: 'One’s own.', message: 'Counted', produces: 'text/plain' })
  countMine(): string {
    return 'three';
  }
}

/** What a resolver of GraphQL is to Nest. */
@Injectable()
class ParcelResolver {
  @Public({ limit: 'none' })
  weight(): number {
    return 7;
  }

  @Public({ limit: 'none' })
  fails(): never {
    throw new Error('innards');
  }

  @Public({ limit: 'none' })
  refuses(): never {
    throw ApiError.invalidField('weight', 'weight must be below 7');
  }

  @Public({ limit: 'none' })
  isBusy(): never {
    throw Object.freeze(new ApiError('too_many_requests', { retryAfterSeconds: 7 }));
  }

  @Public({ limit: 'none' })
  speaksOfItself(): never {
    // What Nest's RpcException is.
    throw Object.assign(new Error('too heavy'), { getError: () => 'too heavy' });
  }

  @Protected()
  secret(): number {
    return 8;
  }
}

class Teapot extends Error {}

/** Like those of libraries that report errors, which answer them too. */
@Catch(Teapot)
class TeapotFilter extends BaseExceptionFilter {
  override catch(_exception: Teapot, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    this.httpAdapterHost?.httpAdapter.reply(reply, 'short and stout', 418);
  }
}

class Spill extends Error {}

@Catch(Spill)
class SpillFilter implements ExceptionFilter {
  catch(): never {
    throw new ApiError('service_unavailable', { retryAfterSeconds: 7 });
  }
}

@Module({
  controllers: [ParcelFilesController],
  providers: [
    ParcelResolver,
    { provide: APP_FILTER, useClass: TeapotFilter },
    { provide: APP_FILTER, useClass: SpillFilter },
  ],
})
class ParcelsModule {}

describe('What a module of one’s own brings with it', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ extensions: [ParcelsModule] });
  });
  afterAll(() => test.close());

  /** As Nest calls what is no route. */
  const call = (name: keyof ParcelResolver, kind: 'graphql' | 'rpc'): Promise<unknown> => {
    const [contexts, resolver] = [test.app.get(ExternalContextCreator), test.app.get(ParcelResolver)];
    const none = undefined;
    return contexts.create(resolver, resolver[name], name, none, none, none, none, none, kind)({}, {}, {});
  };

  it('warns of no leak where nobody waits for a file any more', async () => {
    const warnings: Error[] = [];
    const heed = (warning: Error) => warnings.push(warning);
    process.on('warning', heed);
    onTestFinished(() => void process.off('warning', heed));
    const signal = AbortSignal.timeout(A_MOMENT_MS / 2);
    await expect(fetch(`${await test.app.getUrl()}/api/parcels/late.csv`, { signal })).rejects.toThrow();
    await pause(3 * A_MOMENT_MS);
    expect(warnings).toEqual([]);
  });

  it('fails in a resolver of GraphQL as on a route, and has no resolver whose credentials nobody would check', async () => {
    expect(await call('weight', 'graphql')).toBe(7);
    const failure = { code: 'internal_error', message: 'Internal server error' };
    await expect(call('fails', 'graphql')).rejects.toMatchObject({ ...failure, cause: { message: 'innards' } });
    const mistake = expect.stringContaining('ParcelResolver.secret is no route');
    await expect(call('secret', 'graphql')).rejects.toMatchObject({ ...failure, cause: { message: mistake } });
  });

  it('tells GraphQL what clients can branch on, in the place where it looks for that', async () => {
    const errors = [{ field: 'weight', message: 'weight must be below 7' }];
    await expect(call('refuses', 'graphql')).rejects.toMatchObject({
      extensions: { code: 'validation_failed', errors },
    });
  });

  it('fails in a handler of messages with an answer, and not with an exception that nobody hears', async () => {
    expect(await call('weight', 'rpc')).toBe(7);
    const failure = { status: 'error', code: 'internal_error', message: 'Internal server error' };
    const errors = [{ field: 'weight', message: 'weight must be below 7' }];
    const refusal = { status: 'error', code: 'validation_failed', message: 'Validation failed', errors };
    for (const [name, error] of [
      ['fails', failure],
      ['secret', failure],
      ['refuses', refusal],
      ['isBusy', { ...failure, code: 'too_many_requests', message: expect.any(String), retry_after: 7 }],
      ['speaksOfItself', { status: 'error', message: 'too heavy' }],
    ] as const) {
      const answer = (await call(name, 'rpc')) as Observable<never>;
      expect(await lastValueFrom(answer).catch((thrown: unknown) => thrown)).toEqual(error);
    }
  });

  it('has the answer of a filter of its own as that filter makes it, and no error that is called a success', async () => {
    for (const path of ['teapot', 'teapot.csv', 'teapot.html']) {
      const answer = await fetch(`${await test.app.getUrl()}/api/parcels/${path}`);
      const type = answer.headers.get('content-type');
      expect([answer.status, type, await answer.text()]).toEqual([418, 'text/plain; charset=utf-8', 'short and stout']);
    }
    const spilt = await fetch(`${await test.app.getUrl()}/api/parcels/spill`);
    const told = { error: true, code: 'service_unavailable', retry_after: 7 };
    expect([spilt.status, await spilt.json()]).toEqual([503, expect.objectContaining(told)]);
  });

  const testingModule = () => {
    const { config, clock } = test;
    return Test.createTestingModule({
      imports: [AppModule.forRoot({ config, clock }, new ServedRoutes(), [ParcelsModule])],
    });
  };

  it('has the first code of its own for an exception of Nest’s that the service has none for', async () => {
    const clash = () => test.client().get('/api/parcels/clash');
    expect((await clash()).body.code).toBe('internal_error');
    const catalogue = ERROR_CATALOGUE as Record<string, { status: number; message: string }>;
    onTestFinished(() => {
      delete catalogue['parcel_changed'];
      delete catalogue['parcel_sent'];
    });
    catalogue['parcel_changed'] = { status: 409, message: 'Somebody else changed it' };
    const { status, body } = await clash();
    expect([status, body]).toEqual([
      409,
      { error: true, code: 'parcel_changed', message: expect.any(String), data: null },
    ]);
    catalogue['parcel_sent'] = { status: 409, message: 'It is under way' };
    expect((await clash()).body.code, 'a second one changes no answers').toBe('parcel_changed');
  });

  it('is tested with Nest’s own module, in which guards can be replaced', async () => {
    const openDoor = { canActivate: () => true };
    const builder = testingModule().overrideProvider(ApiKeyGuard).useValue(openDoor);
    const module = await builder.overrideProvider(JwtAuthGuard).useValue(openDoor).compile();
    const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    await app.init();
    onTestFinished(() => app.close());
    const { statusCode, body } = await app.inject({ method: 'GET', url: '/api/parcels/mine' });
    expect([statusCode, body]).toEqual([200, 'three']);
    expect((await fetch(`${await test.app.getUrl()}/api/parcels/mine`)).status).toBe(401);
  });

  it('is used without a server, as a console does, and closed', async () => {
    const module = await testingModule().compile();
    await module.init();
    expect(await module.get(AccountsRepository, { strict: false }).findMany([])).toEqual([]);
    await module.close();
  });

  it('finds accounts without the hashes of their passwords', async () => {
    const { userId } = await test.personas.user();
    const owned = new Schema({ owner: { type: Schema.Types.ObjectId, ref: 'User' } });
    const parcels = test.database.model('OwnedParcel', owned);
    await parcels.create({ owner: userId });
    const found = await parcels.findOne().populate('owner');
    const listed = await test.app.get(AccountsRepository, { strict: false }).findMany([userId]);
    expect(listed).toMatchObject([{ userId }]);
    const plain = await parcels.findOne().populate('owner').lean();
    expect(JSON.parse(JSON.stringify([found, plain]))).toMatchObject([
      { owner: { _id: userId } },
      { owner: { _id: userId } },
    ]);
    expect(JSON.stringify([found, plain, await test.database.model('User').find(), listed])).not.toContain('$2b$');
  });

  it.each([
    ['one document', (parcels: Collection) => parcels.insertOne({ sender: 1, post_code: 'a_1 dup key' })],
    ['several documents', (parcels: Collection) => parcels.insertMany([{}, { sender: 1, post_code: 'a_1 dup key' }])],
    [
      'several kinds',
      (parcels: Collection) =>
        parcels.bulkWrite([{ updateOne: { filter: { sender: 2 }, update: { $set: { sender: 1 } } } }]),
    ],
  ])('is told which field has to be unique, after a write of %s', async (_of, write) => {
    const parcels = test.database.collection('parcels');
    onTestFinished(async () => void (await parcels.drop()));
    await parcels.createIndex({ sender: 1, post_code: -1 }, { unique: true });
    await parcels.insertMany([1, 2].map((sender) => ({ sender, post_code: 'a_1 dup key' })));
    const error: unknown = await write(parcels).catch((thrown: unknown) => thrown);
    expect(duplicateKeyField(error)).toBe('post_code');
  });

  it('has an adapter that libraries know by its name', () => {
    expect(test.app.getHttpAdapter().constructor.name).toBe('FastifyAdapter');
  });
});
