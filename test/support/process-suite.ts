import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { ServiceProcess } from './service-process.js';

/** What a suite has at hand that starts the service as a process. */
interface ProcessSuite {
  /** Empty for each test. */
  directory: string;
  /** Starts a service on that directory. What still runs after the test is killed. */
  start(env?: Record<string, string>): ServiceProcess;
}

export function processSuite(): ProcessSuite {
  const running: ServiceProcess[] = [];
  const suite: ProcessSuite = {
    directory: '',
    start(env = {}) {
      const service = new ServiceProcess({ DATA_DIR: suite.directory, ...env });
      running.push(service);
      return service;
    },
  };
  beforeEach(() => {
    suite.directory = mkdtempSync(join(tmpdir(), 'accounts-'));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.kill('SIGKILL')));
    rmSync(suite.directory, { recursive: true, force: true });
  });
  return suite;
}

/** The key that a service without API_KEYS names at its start. */
export function developmentApiKeyOf(service: ServiceProcess): string {
  return /API key +(\S+)/.exec(service.output)?.[1] as string;
}
