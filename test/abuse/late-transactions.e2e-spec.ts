import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Controller, Injectable, Module, Param, Post, StreamableFile } from '@nestjs/common';
import { InjectModel, MongooseModule } from '@nestjs/mongoose';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Model, Schema } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Public } from '../../src/common/access/index.js';
import { Operation } from '../../src/common/openapi/index.js';
import { Transactions } from '../../src/infrastructure/database/index.js';
import { until } from '../support/bounded.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** A request has 4.5 s. */
const LATE_MS = 5_000;
/** In time for an answer, and not for what a commit may take. */
const HARDLY_IN_TIME_MS = 4_200;

const LONG_AFTER_MS = 7_000;

interface Note {
  title: string;
}

@Injectable()
class Notes {
  /** How long the next one with this title takes. */
  readonly takes = new Map<string, number>();

  constructor(
    @InjectModel('Note') private readonly model: Model<Note>,
    private readonly transactions: Transactions,
  ) {}

  async write(title: string): Promise<{ title: string }> {
    const ms = this.takes.get(title) ?? 0;
    this.takes.delete(title);
    await this.transactions.run(async () => {
      await this.model.create([{ title }]);
      await pause(ms);
    });
    return { title };
  }
}

@ApiExcludeController()
@Controller('notes')
@Public({ limit: 'none' })
class NotesController {
  constructor(private readonly notes: Notes) {}

  @Post(':title')
  write(@Param('title') title: string) {
    return this.notes.write(title);
  }

  @Post('at-once/:title')
  writeLater(@Param('title') title: string) {
    void this.notes.write(title);
    return {};
  }

  @Post('twice/:title')
  async writeTwice(@Param('title') title: string) {
    await this.notes.write(title);
    await pause(LONG_AFTER_MS);
    return this.notes.write(`${title}-too`);
  }

  @Post('bit-by-bit/:title')
  writeBitByBit(@Param('title') title: string) {
    const { notes } = this;
    return new StreamableFile(
      Readable.from(
        (async function* () {
          yield 'begun, ';
          await pause(HARDLY_IN_TIME_MS);
          yield await notes.write(title).then(
            () => 'written',
            (error: Error) => error.message,
          );
        })(),
      ),
    );
  }

  @Post('patiently/:title')
  @Operation({ summary: 'Write patiently', description: 'However long.', message: 'Written', waits: true })
  writePatiently(@Param('title') title: string) {
    return this.notes.write(title);
  }
}

const schema = new Schema<Note>({ title: { type: String, unique: true } }, { collection: 'notes' });
@Module({
  imports: [MongooseModule.forFeature([{ name: 'Note', schema }])],
  controllers: [NotesController],
  providers: [Notes],
})
class NotesModule {}

describe('A transaction that ends when its request', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ extensions: [NotesModule] });
  });
  afterAll(() => test.close());

  const isWritten = async (title: string) => (await test.database.collection('notes').countDocuments({ title })) === 1;
  const write = (path: string, ms: number) => {
    const title = path.split('/').at(-1) as string;
    test.app.get(Notes).takes.set(title, ms);
    return test.client().post(`/notes/${path}`, {});
  };

  for (const [when, ms] of [
    ['was refused', LATE_MS],
    ['is about to be refused', HARDLY_IN_TIME_MS],
  ] as const)
    it.concurrent(`${when} is undone, and the caller who tries again is not told that it is there`, async () => {
      const title = `after-${ms}`;
      const { status, headers } = await write(title, ms);
      expect(status).toBe(503);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      await pause(1_000);
      expect(await isWritten(title)).toBe(false);
      expect((await test.client().post(`/notes/${title}`, {})).status).toBe(201);
      expect(await isWritten(title)).toBe(true);
    });

  it.concurrent('was answered long before is done', async () => {
    expect((await write('at-once/later', LATE_MS)).status).toBe(201);
    expect(await isWritten('later')).toBe(false);
    await until(() => isWritten('later'));
  });

  it.concurrent('was refused is done if it follows another', async () => {
    expect((await write('twice/first', 0)).status).toBe(503);
    expect([await isWritten('first'), await isWritten('first-too')]).toEqual([true, false]);
    await until(() => isWritten('first-too'));
  });

  it.concurrent('has begun to be answered is done', async () => {
    expect((await write('bit-by-bit/bits', 0)).text).toBe('begun, written');
  });

  it.concurrent('takes the time that it needs is done', async () => {
    expect((await write('patiently/slowly', LATE_MS)).status).toBe(200);
    expect(await isWritten('slowly')).toBe(true);
  });
});
