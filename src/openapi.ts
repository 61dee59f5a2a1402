import 'reflect-metadata';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from './app.setup.js';
import { createOpenApiDocument } from './common/openapi/index.js';
import { loadConfig } from './infrastructure/config/index.js';

/** Writes `openapi.json`, which client teams generate from; a test compares it with what the service serves. */
async function main(file: string): Promise<void> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'openapi-'));
  const config = loadConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent', DATA_DIR: dataDirectory });
  const app = await createApp({ config });
  try {
    writeFileSync(file, `${JSON.stringify(createOpenApiDocument(app, refuseMissingExample), null, 2)}\n`);
  } finally {
    await app.close();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

function refuseMissingExample(path: string): never {
  throw new Error(`The OpenAPI document needs an example of ${path}`);
}

await main('openapi.json');
