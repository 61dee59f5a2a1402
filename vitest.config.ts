import { defineConfig } from 'vitest/config';

const common = {
  globalSetup: ['test/support/find-redis.global.ts'],
  setupFiles: ['reflect-metadata', 'test/support/require-redis.setup.ts', 'test/support/quiet.setup.ts'],
  testTimeout: 60_000,
  hookTimeout: 30_000,
};

/** For specs that depend on no deadline, so that a busy second core does not change what they see. */
const TWO_AT_A_TIME = { maxWorkers: 2, sequence: { groupOrder: 0 } };
/**
 * For the many specs that load most of the service: loading its modules for each of them anew would take half of the time. They must
 * leave nothing behind in these modules, so mocked modules have no place here.
 */
const IN_ONE_PROCESS = { ...TWO_AT_A_TIME, isolate: false };
/** For specs that watch deadlines of seconds and mostly wait for them: two together leave each a core. */
const WAITING = { maxWorkers: 2, sequence: { groupOrder: 1 } };
/** For specs that watch deadlines, or how processes end, and need the machine for that; and for those that mock modules. */
const ONE_AT_A_TIME = { maxWorkers: 1, sequence: { groupOrder: 2 } };

interface Group {
  include: string[];
  exclude?: string[];
  env?: Record<string, string>;
}

const project = (name: string, pace: object, { include, exclude = [], env = {} }: Group) => ({
  test: { ...common, name, include, exclude, env, ...pace },
});

interface GroupOfAllPaces extends Omit<Group, 'exclude'> {
  waiting: string[];
  alone: string[];
}

/** A group of specs, of which some wait, and some run alone. @param pace of all others */
const projects = (name: string, pace: object, { include, waiting, alone, env }: GroupOfAllPaces) => [
  project(name, pace, { include, exclude: [...waiting, ...alone], env }),
  project(`${name} waiting`, WAITING, { include: waiting, env }),
  project(`${name} alone`, ONE_AT_A_TIME, { include: alone, env }),
];

export default defineConfig({
  test: {
    reporters: ['default', './test/support/summary.reporter.ts'],
    projects: [
      project('rules', IN_ONE_PROCESS, { include: ['test/rules/**/*.spec.ts'] }),
      project('journeys', IN_ONE_PROCESS, {
        include: ['test/journeys/**/*.e2e-spec.ts'],
        env: { TEST_STORE: 'memory' },
      }),
      project('journeys on Redis', IN_ONE_PROCESS, {
        include: ['test/journeys/**/*.e2e-spec.ts'],
        env: { TEST_STORE: 'redis' },
      }),
      ...projects('unit', IN_ONE_PROCESS, {
        include: ['src/**/*.spec.ts'],
        waiting: ['src/common/http/answer-in-time.spec.ts', 'src/infrastructure/database/wait-for-server.spec.ts'],
        alone: [
          'src/common/clock/with-deadline.spec.ts',
          'src/common/http/bounded-server.spec.ts',
          'src/infrastructure/cache/coalesced.spec.ts',
          'src/infrastructure/config/load-config.spec.ts',
          'src/infrastructure/database/driver-connection.spec.ts',
          'src/security/passwords/*.spec.ts',
        ],
      }),
      ...projects('contracts', IN_ONE_PROCESS, {
        include: ['test/contracts/**/*-spec.ts'],
        waiting: ['test/contracts/embedded-mongodb-ownership.e2e-spec.ts'],
        alone: [
          'test/contracts/embedded-mongodb-{crash,full-disk,limits,safety}.e2e-spec.ts',
          'test/contracts/{record-cache,record-cache-in-redis,redis-connection}.e2e-spec.ts',
        ],
      }),
      ...projects('process', TWO_AT_A_TIME, {
        include: ['test/process/**/*.e2e-spec.ts'],
        waiting: ['test/process/{cluster,test-kit}.e2e-spec.ts'],
        alone: ['test/process/{drain,file-descriptors,full-disk,kill-under-load,log,stop}.e2e-spec.ts'],
      }),
      ...projects('abuse', TWO_AT_A_TIME, {
        include: ['test/abuse/**/*spec.ts'],
        waiting: [
          'test/abuse/{database-failures,faults,late-transactions,pausing-redis,redis-failures,redis-servers,refusals-in-an-outage,slow-clients}.e2e-spec.ts',
        ],
        alone: ['test/abuse/{breaking-connections,connections,enumeration,hash-queue,stepping-down}.e2e-spec.ts'],
        env: { TEST_STORE: 'memory' },
      }),
    ],
  },
});
