import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamicModule, Type } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Connection } from 'mongoose';
import { createApp } from '../../src/app.setup.js';
import type { CommandResult } from '../../src/cli/command.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { TimeTravel } from '../../src/dev-tools/index.js';
import { type Config, loadConfig } from '../../src/infrastructure/config/index.js';
import { SETTING_NAMES } from '../../src/infrastructure/config/settings.js';
import { DatabaseServer } from '../../src/infrastructure/database/index.js';
import { ApiClient, nextAddress } from './api-client.js';
import { type Backend, ownBackend } from './backends.js';
import { openCommandContext } from './command-context.js';
import { Inbox } from './inbox.js';
import { ManualClock } from './manual-clock.js';
import { Personas } from './personas.js';

export const API_KEY = 'test-api-key-of-the-suite';

export interface TestAppOptions {
  /** Settings by the names of the README, beside those of a test. */
  env?: Record<string, string>;
  /** Changes what no environment variable can say in a test. */
  adjust?: (config: Config) => Config;
  /** Nest modules to load beside the service's own: those that are not yet in `app.module.ts`. */
  extensions?: (Type | DynamicModule)[];
  /** A clock that was moved or stopped before the start, or that several applications share. */
  clock?: ManualClock;
  /** Share the stores of another test application: a second instance of the same service. */
  beside?: TestApp;
  redis?: boolean;
}

/** A running service with stores of its own, real HTTP and a clock that tests move. */
export interface TestApp {
  app: NestFastifyApplication;
  url: string;
  config: Config;
  clock: ManualClock;
  /** Moves the clock, and what Redis counts by a clock of its own: the windows of limits. */
  advance(ms: number): Promise<void>;
  inbox: Inbox;
  personas: Personas;
  database: Connection;
  backend: Backend;
  /** A client from an address that nobody else has. */
  client(address?: string): ApiClient;
  /** Runs a command of `npm run cli`, as beside the service, with the extensions. @throws RefusedError where it refuses */
  command(name: string, argument?: string, tell?: (progress: string) => void): Promise<CommandResult>;
  close(): Promise<void>;
}

/** Cost 4 instead of 10: the same code, faster. That the service itself uses 10 is a test of its own. */
const TEST_HASH_COST = 4;

/** A service of its own for one suite: real HTTP, real storage, nothing shared with another. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const unknown = Object.keys(options.env ?? {}).filter((name) => !SETTING_NAMES.includes(name));
  if (unknown.length > 0) throw new Error(`No settings: ${unknown.join()}`);
  const dataDirectory = mkdtempSync(join(tmpdir(), 'accounts-'));
  const backend = options.beside ? sharedBackend(options.beside) : await ownBackend({ redis: options.redis });
  const loaded = loadConfig({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATA_DIR: dataDirectory,
    JWT_SECRET: 'test-access-secret-0123456789-abcdefgh',
    JWT_REFRESH_SECRET: 'test-refresh-secret-0123456789-abcdefg',
    API_KEYS: `suite:${createHash('sha256').update(API_KEY).digest('hex')}`,
    TRUST_PROXY: '127.0.0.1,::1',
    FRONTEND_URL: 'https://app.example',
    PUBLIC_URL: 'https://accounts.example',
    PORT: '0',
    ...backend.env,
    ...options.env,
  });
  const adjusted: Config = {
    ...loaded,
    passwords: { ...loaded.passwords, hashCost: TEST_HASH_COST },
    redis: { ...loaded.redis, isTrustedAtStart: true },
  };
  const config = options.adjust?.(adjusted) ?? adjusted;
  const clock = options.clock ?? new ManualClock();
  const remove = async () => {
    await backend.remove();
    rmSync(dataDirectory, { recursive: true, force: true });
  };
  const app = await createApp({ config, clock, extensions: options.extensions }).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const client = (address = nextAddress()) => new ApiClient(url, address);
  const inbox = new Inbox(client());
  const database = app.get<Connection>(getConnectionToken());
  return {
    app,
    url,
    config,
    clock,
    inbox,
    personas: new Personas(client, inbox, { apiKey: API_KEY, database }),
    database,
    backend,
    client,
    advance: (ms) => app.get(TimeTravel).to((presentMs) => presentMs + ms),
    command: async (name, argument = '', tell = () => undefined) => {
      const command = COMMANDS[name];
      if (!command) throw new Error(`There is no command ${name}`);
      const tool = await openCommandContext({ app, config, clock }, options.extensions);
      return command.run(tool, argument, tell).finally(() => tool.close());
    },
    close: async () => {
      await app.close();
      await remove();
    },
  };
}

function sharedBackend({ app, backend }: TestApp): Backend {
  return { env: { ...backend.env, MONGODB_URI: app.get(DatabaseServer).uri }, remove: () => Promise.resolve() };
}
