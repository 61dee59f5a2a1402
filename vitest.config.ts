import { defineConfig } from 'vitest/config';

const common = {
  globalSetup: ['test/support/find-redis.global.ts'],
  setupFiles: ['reflect-metadata', 'test/support/require-redis.setup.ts', 'test/support/quiet.setup.ts'],
  testTimeout: 60_000,
  hookTimeout: 30_000,
};

/** A group of specs, with the environment in which they run. */
const project = (name: string, include: string[], env: Record<string, string> = {}) => ({
  test: { ...common, name, include, env },
});

export default defineConfig({
  test: {
    reporters: ['default', './test/support/summary.reporter.ts'],
    projects: [
      project('unit', ['src/**/*.spec.ts']),
      project('rules', ['test/rules/**/*.spec.ts']),
      project('contracts', ['test/contracts/**/*-spec.ts']),
      project('journeys', ['test/journeys/**/*.e2e-spec.ts'], { TEST_STORE: 'memory' }),
      project('journeys on Redis', ['test/journeys/**/*.e2e-spec.ts'], { TEST_STORE: 'redis' }),
      project('process', ['test/process/**/*.e2e-spec.ts']),
      project('abuse', ['test/abuse/**/*spec.ts'], { TEST_STORE: 'memory' }),
    ],
  },
});
