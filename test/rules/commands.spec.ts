import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import { AccountAnnouncements } from '../../src/users/index.js';
import { openCommandContext } from '../support/command-context.js';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/test-app.js';

/** What commands announce: `erase-account` the one, `import-accounts` the others. */
const ANNOUNCED = ['onErased', 'onRegistered', 'onConfirmed'] as const;

/** Where each listener is from, as a stack trace has it. */
async function listenersOf(start: () => Promise<unknown>): Promise<string[]> {
  const listeners: string[] = [];
  const spies = ANNOUNCED.map((name) =>
    vi.spyOn(AccountAnnouncements.prototype, name).mockImplementation(() => {
      const caller = new Error().stack?.split('\n').find((line) => line.includes('onModuleInit'));
      listeners.push(`${name}: ${caller?.trim() ?? 'somebody'}`);
    }),
  );
  await start().finally(() => spies.forEach((spy) => spy.mockRestore()));
  return listeners.toSorted();
}

/** Of the service, and of its commands, which are a process of their own. */
async function allListeners(options: TestAppOptions = {}): Promise<[service: string[], commands: string[]]> {
  const started: TestApp[] = [];
  const service = await listenersOf(async () => started.push(await startTestApp(options)));
  const [test] = started as [TestApp];
  const commands = listenersOf(async () => (await openCommandContext(test)).close());
  return [service, await commands.finally(() => test.close())];
}

@Injectable()
class Diary implements OnModuleInit {
  constructor(private readonly announcements: AccountAnnouncements) {}

  onModuleInit(): void {
    this.announcements.onErased(() => Promise.resolve());
    this.announcements.onConfirmed(() => Promise.resolve());
  }
}

@Module({ providers: [Diary] })
class DiaryModule {}

describe('The commands that import and erase accounts', () => {
  it('have every module that wants to hear of it: name it in src/cli/cli.module.ts', async () => {
    const [service, commands] = await allListeners();
    expect(commands).toEqual(service);
  });

  it('are found out where they have not', async () => {
    const [service, commands] = await allListeners({ extensions: [DiaryModule] });
    const missing = service.filter((listener) => !commands.includes(listener));
    expect(missing).toEqual([
      expect.stringMatching(/^onConfirmed: .*Diary\.onModuleInit/),
      expect.stringMatching(/^onErased: .*Diary\.onModuleInit/),
    ]);
  });
});
