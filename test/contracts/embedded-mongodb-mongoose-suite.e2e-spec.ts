import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEmbeddedMongodb } from '../../src/infrastructure/database/embedded-mongodb/index.js';
import { socketPathOf } from './embedded-mongodb-wire.js';

/**
 * A checkout of Mongoose 9 with its development dependencies installed and `mongodb-memory-server` left out. Its
 * tests are run there; nothing of it is kept here.
 */
const suite = process.env['MONGOOSE_SUITE_DIRECTORY'];

/** What has to pass of 4,554 cases; the rest is refused, skipped by the suite itself, or listed below. */
const PASSING = 4_445;

/** A refusal says so; these fail for another reason. */
const EXPECTED_FAILURES = [
  // They compare the connection string with a host and a port.
  'connections: openUri (gh-5304) with mongoose.createConnection()',
  'TracingChannel query operations fires start and asyncEnd for find',
  'TracingChannel query operations includes connection info in context',
  // They read from a secondary, and there is none.
  'connections: when connecting with a secondary read preference(gh-9374)',
  'Query options read inherits its models schema read option and sends it though the driver',
  // It updates a path with `__proto__`, expecting no effect; here that is an error.
  'document avoids prototype pollution on init',
];

interface MochaReport {
  stats: { passes: number };
  failures: { fullTitle: string; err: { message?: string } }[];
}

describe.skipIf(!suite)("Mongoose's own test suite", () => {
  it(`passes, but for what only MongoDB offers`, { timeout: 600_000 }, async () => {
    // Discovery turns addresses into lower case, so the path has to be.
    const directory = join(tmpdir(), randomUUID());
    const store = await startEmbeddedMongodb({ directory });
    const uri = `mongodb://${encodeURIComponent(socketPathOf(store.uri))}/?replicaSet=embedded`;
    const report = join(directory, 'report.json');
    const reporting = ['--reporter', 'json', '--reporter-option', `output=${report}`];
    const files = ['--ignore', 'test/encryption/**/*.test.js', './test/**/*.test.js'];
    const mocha = spawn('npx', ['mocha', '--no-config', '--exit', '--timeout', '10000', ...reporting, ...files], {
      cwd: suite,
      env: { ...process.env, START_REPLICA_SET: '1', MONGOOSE_TEST_URI: uri, MONGOOSE_REPLSET_URI: uri },
      stdio: 'ignore',
    });
    await once(mocha, 'exit');
    const { stats, failures } = JSON.parse(readFileSync(report, 'utf8')) as MochaReport;
    await store.close();
    rmSync(directory, { recursive: true });
    const unexpected = failures
      .filter(({ err }) => !err.message?.includes('use MongoDB for it'))
      .map(({ fullTitle }) => fullTitle)
      .filter((title) => !EXPECTED_FAILURES.some((expected) => title.startsWith(expected)));
    expect(unexpected).toEqual([]);
    expect(stats.passes).toBeGreaterThanOrEqual(PASSING);
  });
});
