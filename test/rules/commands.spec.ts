import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import { AccountAnnouncements } from '../../src/users/index.js';
import { openCommandContext } from '../support/command-context.js';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/test-app.js';

/** Where each listener to erased accounts is from, as a stack trace has it. */
async function erasersOf(start: () => Promise<unknown>): Promise<string[]> {
  const erasers: string[] = [];
  const listening = vi.spyOn(AccountAnnouncements.prototype, 'onErased').mockImplementation(() => {
    const caller = new Error().stack?.split('\n').find((line) => line.includes('onModuleInit'));
    erasers.push(caller?.trim() ?? 'somebody');
  });
  await start().finally(() => listening.mockRestore());
  return erasers.toSorted();
}

/** Of the service, and of its commands, which are a process of their own. */
async function allErasers(options: TestAppOptions = {}): Promise<[service: string[], commands: string[]]> {
  const started: TestApp[] = [];
  const service = await erasersOf(async () => started.push(await startTestApp(options)));
  const [test] = started as [TestApp];
  const commands = erasersOf(async () => (await openCommandContext(test)).close());
  return [service, await commands.finally(() => test.close())];
}

@Injectable()
class Diary implements OnModuleInit {
  constructor(private readonly announcements: AccountAnnouncements) {}

  onModuleInit(): void {
    this.announcements.onErased(() => Promise.resolve());
  }
}

@Module({ providers: [Diary] })
class DiaryModule {}

describe('The command that erases an account', () => {
  it('has every module that wants to hear of it: name it in src/cli/cli.module.ts', async () => {
    const [service, commands] = await allErasers();
    expect(commands).toEqual(service);
  });

  it('is found out where it has not', async () => {
    const [service, commands] = await allErasers({ extensions: [DiaryModule] });
    const missing = service.filter((eraser) => !commands.includes(eraser));
    expect(missing).toEqual([expect.stringContaining('Diary.onModuleInit')]);
  });
});
