import { defineConfig } from 'vitest/config';

const common = {
  globalSetup: ['test/support/find-redis.global.ts'],
  setupFiles: ['reflect-metadata', 'test/support/require-redis.setup.ts', 'test/support/quiet.setup.ts'],
  testTimeout: 60_000,
  hookTimeout: 30_000,
};

/** Two files at a time: for specs that depend on no deadline, so that a busy second core does not change what they see. */
const TWO_AT_A_TIME = { maxWorkers: 2, sequence: { groupOrder: 0 } };
const ONE_AT_A_TIME = { maxWorkers: 1, sequence: { groupOrder: 1 } };

/** A group of specs, with the environment in which they run. */
const project = (name: string, include: string[], pace: object, env: Record<string, string> = {}) => ({
  test: { ...common, name, include, env, ...pace },
});

export default defineConfig({
  test: {
    reporters: ['default', './test/support/summary.reporter.ts'],
    projects: [
      project('rules', ['test/rules/**/*.spec.ts'], TWO_AT_A_TIME),
      project('journeys', ['test/journeys/**/*.e2e-spec.ts'], TWO_AT_A_TIME, { TEST_STORE: 'memory' }),
      project('journeys on Redis', ['test/journeys/**/*.e2e-spec.ts'], TWO_AT_A_TIME, { TEST_STORE: 'redis' }),
      project('unit', ['src/**/*.spec.ts'], ONE_AT_A_TIME),
      project('contracts', ['test/contracts/**/*-spec.ts'], ONE_AT_A_TIME),
      project('process', ['test/process/**/*.e2e-spec.ts'], ONE_AT_A_TIME),
      project('abuse', ['test/abuse/**/*spec.ts'], ONE_AT_A_TIME, { TEST_STORE: 'memory' }),
    ],
  },
});
