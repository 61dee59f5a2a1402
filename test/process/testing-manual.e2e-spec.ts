import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { newRegistration } from '../support/personas.js';
import { ServiceProcess } from '../support/service-process.js';

const ROOT = resolve(import.meta.dirname, '../..');
const manual = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

const OWN_RUNNER = { setupFiles: ['reflect-metadata'], testTimeout: 60_000, hookTimeout: 30_000 };

const blocks = (language: string) =>
  [...manual.matchAll(/```(\w+)\n(.*?)```/gs)].filter(([, name]) => name === language);
/** The programs of the manual, by the file name in their first line. */
const programs = Object.fromEntries(
  blocks('ts').map(([, , program = '']) => [/^\/\/ (\S+)\n/.exec(program)?.[1] ?? 'nameless', program]),
);
/** A program of the README, which stands after its file name. */
const programOfReadme = (file: string) =>
  new RegExp(`\`${file}\`.*?\`\`\`ts\\n(.*?)\`\`\``, 's').exec(readme)?.[1] as string;

/** What an object consists of, whatever its values: `data.offset_seconds: number`. */
function shapeOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.slice(0, 1).flatMap((item) => shapeOf(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [`${path}: ${value === null ? 'null' : typeof value}`];
  return Object.entries(value).flatMap(([name, item]) => shapeOf(item, `${path}.${name}`));
}

describe('The manual for tests', () => {
  let directory: string;
  let service: ServiceProcess;
  let client: ApiClient;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'accounts-manual-'));
    const API_KEYS = `e2e:${createHash('sha256').update('my-e2e-key').digest('hex')}`;
    service = new ServiceProcess({ DATA_DIR: join(directory, 'data'), API_KEYS });
    client = new ApiClient(await service.started(), '127.0.0.1');
  });
  afterAll(async () => {
    await service.kill('SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  });

  it('shows requests that have these answers', async () => {
    await client.delete('/dev/state');
    const email = 'ada@example.com';
    await client.post('/auth/register', newRegistration({ email }));
    const { otp } = (await client.get(`/dev/inbox/next?to=${email}`)).body.data;
    expect((await client.post('/auth/verify-otp', { email, otp })).status).toBe(200);
    expect(blocks('http').length).toBeGreaterThan(8);
    for (const [, , example = ''] of blocks('http')) {
      const [, method, path = '', body, status, answer = ''] =
        /^(\w+) (\S+)\n(.*?)\n?\n(\d{3})\n(.*)$/s.exec(example) ?? [];
      const response = await client.request(path, { method, body: body || undefined });
      expect(response.status, example).toBe(Number(status));
      expect(shapeOf(response.body), example).toEqual(shapeOf(JSON.parse(answer)));
      expect(response.body.message, example).toBe(JSON.parse(answer).message);
    }
  });

  it('names every route of the kit, and none that is not there', async () => {
    const { body } = await client.get('/dev');
    const routes = (body.data.routes as { method: string; path: string }[]).map(
      ({ method, path }) => `${method} ${path}`,
    );
    const table = /\| Route .*?\n\n/s.exec(manual)?.[0] ?? '';
    const named = [...table.matchAll(/^\| (`[A-Z].*?`) \|/gm)].flatMap(([, cell = '']) => {
      const [path] = /\/dev[\w/]*/.exec(cell) ?? [];
      return [...cell.matchAll(/\b[A-Z]{3,}\b/g)].map(([method]) => `${method} ${path}`);
    });
    expect([...new Set(named)].sort()).toEqual(routes.sort());
  });

  describe('has examples, a suite over HTTP and one of a module,', () => {
    const specs = ['accounts.spec.ts', 'test/journeys/notes.e2e-spec.ts'];
    let workplace: string;
    beforeAll(() => {
      workplace = join(directory, 'workplace');
      const place = (file: string, text: string) => {
        mkdirSync(join(workplace, dirname(file)), { recursive: true });
        writeFileSync(join(workplace, file), text);
      };
      for (const file of specs) place(file, programs[file] as string);
      for (const file of ['src/notes/notes.module.ts', 'src/notes/index.ts']) place(file, programOfReadme(file));
      // The former runs at a client team, whose runner may be set as it comes; the latter runs here.
      const projects = [
        { test: { name: 'client', include: specs.slice(0, 1) } },
        { test: { ...OWN_RUNNER, name: 'module', include: specs.slice(1) } },
      ];
      place('vitest.config.ts', `export default { test: { projects: ${JSON.stringify(projects)} } };`);
      for (const entry of ['node_modules', 'tsconfig.json', 'package.json', 'test/support', ...sourcesOf(ROOT)])
        symlinkSync(join(ROOT, entry), join(workplace, entry));
    });

    it('without a mistake of type', () => {
      expect(mistakesOfType(specs.map((file) => join(workplace, file)))).toEqual([]);
    });

    it('that run as they stand', async () => {
      const report = join(directory, 'report.json');
      const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...specs];
      const output = await runVitest(args, workplace, client.baseUrl);
      const result = JSON.parse(readFileSync(report, 'utf8')) as Record<string, number>;
      expect(result.numFailedTests, output).toBe(0);
      expect(result.numPassedTests, output).toBe(10);
      expect(result.numPassedTestSuites, output).toBe(result.numTotalTestSuites);
    });
  });

  it('has Playwright programs without a mistake of syntax', () => {
    const files = Object.keys(programs).filter((file) => /playwright\.config|^e2e\//.test(file));
    expect(files.sort()).toEqual(['e2e/accounts.spec.ts', 'e2e/accounts.ts', 'playwright.config.ts']);
    for (const file of files) {
      const { diagnostics = [] } = ts.transpileModule(programs[file] as string, {
        reportDiagnostics: true,
        fileName: file,
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
      });
      expect(
        diagnostics.map(({ messageText }) => messageText),
        file,
      ).toEqual([]);
    }
  });
});

function sourcesOf(root: string): string[] {
  return readdirSync(join(root, 'src')).map((entry) => join('src', entry));
}

function mistakesOfType(files: string[]): string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => ts.sys.readFile(file));
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, rootDir: undefined }, ROOT);
  // The latter declares what suites are provided with.
  const program = ts.createProgram([...files, join(ROOT, 'test/support/find-redis.global.ts')], {
    ...options,
    noEmit: true,
  });
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0;
    return `${file?.fileName}:${line + 1} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

/** With nothing of the environment of the tests around it. */
function runVitest(args: string[], cwd: string, url: string): Promise<string> {
  const program = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const env = { PATH: process.env.PATH, ACCOUNTS_URL: url };
  return new Promise((done) => {
    execFile(process.execPath, [program, ...args], { cwd, env }, (_error, stdout, stderr) => done(stdout + stderr));
  });
}
