import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CliModule } from '../../src/cli/cli.module.js';
import { DatabaseServer } from '../../src/infrastructure/database/index.js';
import type { TestApp } from './test-app.js';

/** What commands run in: a process of its own, as it were, on the stores of a test application. */
export function openCommandContext(
  { app, config, clock }: Pick<TestApp, 'app' | 'config' | 'clock'>,
  extensions: (Type | DynamicModule)[] = [],
): Promise<INestApplicationContext> {
  const mongodb = { ...config.mongodb, uri: app.get(DatabaseServer).uri };
  const module = CliModule.forRoot({ config: { ...config, mongodb }, clock });
  return NestFactory.createApplicationContext(
    { ...module, imports: [...(module.imports ?? []), ...extensions] },
    { logger: false, abortOnError: false },
  );
}
