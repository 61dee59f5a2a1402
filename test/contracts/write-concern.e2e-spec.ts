import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SchemaSetup } from '../../src/infrastructure/database/schema-setup.js';
import type { TestApp } from '../support/index.js';
import { type Command, startMonitoredApp } from '../support/monitored-app.js';

const WRITES = ['insert', 'update', 'delete', 'findAndModify', 'commitTransaction'];

/** What a server takes for granted, if nothing is said, depends on its members and its settings. */
describe('Of every write, the database', () => {
  let monitored: Awaited<ReturnType<typeof startMonitoredApp>>;
  let test: TestApp;
  let sent: [name: string, command: Command][] = [];

  beforeAll(async () => {
    monitored = await startMonitoredApp((name, command) => void sent.push([name, command]));
    test = monitored.test;
  });
  afterAll(() => monitored.close());

  const sentOf = async (names: string[], act: () => Promise<unknown>): Promise<typeof sent> => {
    sent = [];
    await act();
    return sent.filter(([name]) => names.includes(name));
  };

  it('is told that the majority must have it, and to say so before the connection is given up', async () => {
    const writes = await sentOf(WRITES, async () => {
      const user = await test.personas.user();
      await user.client.post('/auth/refresh-token', { refresh_token: user.refresh_token });
      await user.client.post('/auth/forgot-password', { email: user.registration.email });
      await test.inbox.waitFor(user.registration.email, 'password-reset');
      await user.api.request('/api/profile', { method: 'PATCH', body: { first_name: 'Augusta' } });
      await user.client.post('/auth/logout', { refresh_token: user.refresh_token }, { bearer: user.token });
    });
    for (const name of WRITES)
      expect(
        writes.map(([each]) => each),
        'or nothing is seen',
      ).toContain(name);
    for (const [name, command] of writes) {
      // Within a transaction the commit says it for all.
      const isPart = name !== 'commitTransaction' && command['autocommit'] === false;
      expect(command['writeConcern'], name).toEqual(isPart ? undefined : { w: 'majority', wtimeout: 1_500 });
    }
  });

  it('may take its time for indexes, which a start waits for', async () => {
    const writes = await sentOf(['createIndexes'], () => test.app.get(SchemaSetup).onApplicationBootstrap());
    expect(writes.length).toBeGreaterThan(10);
    for (const [, command] of writes) expect(command['writeConcern']).toEqual({ w: 'majority' });
  });
});
