import 'reflect-metadata';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from './app.setup.js';
import { createOpenApiDocument, toOpenApi30 } from './common/openapi/index.js';
import { loadConfig } from './infrastructure/config/index.js';
import { RouteCheck } from './security/index.js';

/**
 * Writes `openapi.json` and `openapi-3.0.json`, which client teams generate from; a test compares them with what the service serves.
 */
async function main(): Promise<void> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'openapi-'));
  const config = loadConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent', DATA_DIR: dataDirectory });
  const app = await createApp({ config });
  try {
    // What the service would not start with makes no document either.
    app.get(RouteCheck, { strict: false }).check();
    const document = createOpenApiDocument(app, refuseMissingExample);
    write('openapi.json', document);
    write('openapi-3.0.json', toOpenApi30(document));
  } finally {
    await app.close();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

function write(file: string, document: object): void {
  writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
}

function refuseMissingExample(path: string): never {
  throw new Error(`The OpenAPI document needs an example of ${path}`);
}

await main();
