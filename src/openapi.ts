import 'reflect-metadata';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { createApp } from './app.setup.js';
import { createOpenApiDocument, toOpenApi30 } from './common/openapi/index.js';
import { loadConfig } from './infrastructure/config/index.js';
import { RouteCheck } from './security/index.js';

const SILENT = { log: () => undefined, error: () => undefined };

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
    Logger.overrideLogger({ ...SILENT, warn: refuse });
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

/** Of what is only logged while the service runs, such as two classes of one name. */
function refuse(warning: unknown): never {
  throw new Error(String(warning));
}

function refuseMissingExample(path: string): never {
  throw new Error(`The OpenAPI document needs an example of ${path}`);
}

await main();
