import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Controller, Get, Injectable, Module, StreamableFile } from '@nestjs/common';
import { ExternalContextCreator } from '@nestjs/core';
import { Schema } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Protected, Public } from '../../src/common/access/index.js';
import { Operation } from '../../src/common/openapi/index.js';
import { AccountsRepository } from '../../src/users/index.js';
import { startTestApp, type TestApp } from '../support/index.js';

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

  @Protected()
  secret(): number {
    return 8;
  }
}

@Module({ controllers: [ParcelFilesController], providers: [ParcelResolver] })
class ParcelsModule {}

describe('What a module of one’s own brings with it', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ extensions: [ParcelsModule] });
  });
  afterAll(() => test.close());

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
    const [contexts, resolver] = [test.app.get(ExternalContextCreator), test.app.get(ParcelResolver)];
    const none = undefined;
    const resolve = (name: keyof ParcelResolver): Promise<unknown> =>
      contexts.create(resolver, resolver[name], name, none, none, none, none, none, 'graphql')(none, {}, {});
    expect(await resolve('weight')).toBe(7);
    const failure = { code: 'internal_error', message: 'Internal server error' };
    await expect(resolve('fails')).rejects.toMatchObject({ ...failure, cause: { message: 'innards' } });
    const mistake = expect.stringContaining('ParcelResolver.secret is no route');
    await expect(resolve('secret')).rejects.toMatchObject({ ...failure, cause: { message: mistake } });
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

  it('has an adapter that libraries know by its name', () => {
    expect(test.app.getHttpAdapter().constructor.name).toBe('FastifyAdapter');
  });
});
