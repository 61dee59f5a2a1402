import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const SOURCE = fileURLToPath(new URL('../../src/infrastructure/database/embedded-mongodb/', import.meta.url));
const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

export interface CompiledStore {
  /** The compiled index.js. */
  entry: string;
  remove(): void;
}

/** The library as JavaScript, for what needs a process or a thread of its own. */
export function compileEmbeddedMongodb(): CompiledStore {
  const target = mkdtempSync(join(tmpdir(), 'embedded-mongodb-compiled-'));
  symlinkSync(NODE_MODULES, join(target, 'node_modules'));
  writeFileSync(join(target, 'package.json'), '{"type":"module"}');
  for (const file of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    const { outputText } = ts.transpileModule(readFileSync(join(SOURCE, file), 'utf8'), { compilerOptions });
    const output = join(target, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, outputText);
  }
  return { entry: join(target, 'index.js'), remove: () => rmSync(target, { recursive: true, force: true }) };
}
