import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRegistration } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';
import type { World } from './generated-clients/world.js';

const ROOT = new URL('../../', import.meta.url).pathname;
const DOCUMENT = join(ROOT, 'openapi.json');
const STRICT = ['--strict', '--noUncheckedIndexedAccess'];

describe('A client made from openapi.json', () => {
  let test: TestApp;
  let workshop: string;
  // One service each: both clients come from the same address, and have five logins.
  beforeEach(async () => {
    test = await startTestApp();
    workshop = mkdtempSync(join(tmpdir(), 'clients-'));
  });
  afterEach(async () => {
    await test.close();
    rmSync(workshop, { recursive: true, force: true });
  });

  /** A project of its own, as a client team has it: generated code and a program that uses it. */
  function newProject(name: string): string {
    const project = join(workshop, name);
    mkdirSync(join(project, 'generated'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
    for (const file of ['world.ts', `${name}.ts`]) {
      cpSync(join(ROOT, 'test/contracts/generated-clients', file), join(project, file));
    }
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    return project;
  }

  function compile(project: string, name: string): void {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--target', 'es2022', '--module', 'nodenext', '--skipLibCheck', '--types', 'node', ...STRICT];
    try {
      execFileSync(process.execPath, [tsc, ...options, `${name}.ts`], { cwd: project, encoding: 'utf8' });
    } catch (error) {
      throw new Error((error as { stdout: string }).stdout, { cause: error });
    }
  }

  async function run(project: string, name: string): Promise<void> {
    const { journey } = (await import(pathToFileURL(join(project, `${name}.js`)).href)) as {
      journey(world: World): Promise<void>;
    };
    const { password_confirmation: _, ...person } = newRegistration();
    await journey({
      url: test.url,
      apiKey: API_KEY,
      person,
      secretOf: async (email, kind) => {
        const { otp, token } = await test.inbox.waitFor(email, kind);
        return (otp ?? token) as string;
      },
    });
  }

  it('by openapi-typescript and openapi-fetch compiles strictly and goes the whole way', async () => {
    const project = newProject('with-openapi-fetch');
    const types = await openapiTypescript(pathToFileURL(DOCUMENT));
    writeFileSync(join(project, 'generated/schema.ts'), astToString(types));
    compile(project, 'with-openapi-fetch');
    await expect(run(project, 'with-openapi-fetch')).resolves.toBeUndefined();
  });

  it('by @hey-api/openapi-ts compiles strictly and goes the whole way', async () => {
    const project = newProject('with-hey-api');
    await createClient({
      input: DOCUMENT,
      output: { path: join(project, 'generated'), importFileExtension: '.js' },
      plugins: ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript'],
      logs: { level: 'silent' },
    } as never);
    compile(project, 'with-hey-api');
    await expect(run(project, 'with-hey-api')).resolves.toBeUndefined();
  });
});
