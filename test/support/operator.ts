import type { INestApplicationContext } from '@nestjs/common';
import type { CommandResult } from '../../src/cli/command.js';
import { COMMANDS } from '../../src/cli/commands.js';
import type { ApiResponse } from './api-client.js';
import { openCommandContext } from './command-context.js';
import type { User } from './personas.js';
import { startTestApp, type TestApp } from './test-app.js';

/** Somebody with an administrator's account and the command line, which runs beside the service, with caches of its own. */
export class Operator {
  private constructor(
    readonly test: TestApp,
    readonly tool: INestApplicationContext,
    private readonly account: User,
  ) {}

  static async start(): Promise<Operator> {
    const test = await startTestApp({ env: { RATE_LIMIT: '100000', AUTH_RATE_LIMIT: '100000' } });
    const account = await test.personas.admin();
    return new Operator(test, await openCommandContext(test), account);
  }

  command(name: string, argument = ''): Promise<CommandResult> {
    return COMMANDS[name]?.run(this.tool, argument, () => undefined) as Promise<CommandResult>;
  }

  request(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    return this.account.api.request(path, { method, body });
  }

  /** Somebody whose account was deleted. */
  async deletedUser(): Promise<User> {
    const user = await this.test.personas.user();
    const { status, text } = await this.request('DELETE', `/api/users/${user.userId}`);
    if (status !== 200) throw new Error(`The account was not deleted: ${text}`);
    return user;
  }

  async close(): Promise<void> {
    await this.tool.close();
    await this.test.close();
  }
}
