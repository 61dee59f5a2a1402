import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startEmbeddedMongodb,
  type EmbeddedMongodb,
} from '../../src/infrastructure/database/embedded-mongodb/index.js';
import { casesOf } from './embedded-mongodb-spec-runner.js';

/** The folder `test/spec/crud/unified` of the MongoDB driver; nothing of it is kept here. */
const directory = process.env['CRUD_CASES_DIRECTORY'];

const PASSING = 375;

/** Why a case cannot pass. */
const EXPECTED_FAILURES = new Map<RegExp, string>([
  [/document validation errInfo/, 'validators are refused'],
  [/works correctly on views/, 'views are refused'],
  [/inserting _id with type null/, 'the driver replaces null ids (NODE-6468)'],
  [/partialResult is unset/, 'the driver sets partialResult (NODE-6384)'],
  [/passes bypassDocumentValidation: false/, 'the driver does not send false (NODE-6484)'],
]);

describe.skipIf(!directory)("The drivers' CRUD cases", () => {
  let store: EmbeddedMongodb;

  beforeAll(async () => {
    store = await startEmbeddedMongodb();
  });

  afterAll(() => store.close());

  it('pass, but for those that are listed', { timeout: 300_000 }, async () => {
    const unexpected: string[] = [];
    let passed = 0;
    const files = readdirSync(directory ?? '').filter((file) => file.endsWith('.json'));
    for (const file of files) {
      for (const { description, run } of casesOf(readFileSync(join(directory ?? '', file), 'utf8'))) {
        const failure = await run(store.uri).then(
          () => passed++ && undefined,
          (error: Error) => `${file}: ${description}: ${error.message}`,
        );
        const isExpected = [...EXPECTED_FAILURES.keys()].some((pattern) => pattern.test(description));
        if (typeof failure === 'string' && !isExpected) unexpected.push(failure);
      }
    }
    expect(unexpected).toEqual([]);
    expect(passed).toBeGreaterThanOrEqual(PASSING);
  });
});
