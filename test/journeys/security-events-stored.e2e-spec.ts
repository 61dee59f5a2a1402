import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type EmbeddedMongodb,
  startEmbeddedMongodb,
} from '../../src/infrastructure/database/embedded-mongodb/index.js';
import { SecurityEvents } from '../../src/security/index.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('The record of security events, when it is stored,', () => {
  let store: EmbeddedMongodb;
  let test: TestApp;
  beforeEach(async () => {
    store = await startEmbeddedMongodb();
    test = await startTestApp({ env: { MONGODB_URI: store.uri } });
  });
  afterEach(() => store.close());

  const record = ({ app }: TestApp, detail: string) =>
    app.get(SecurityEvents, { strict: false }).record({ kind: 'authn_fail', outcome: 'failure', detail });
  const flush = ({ app }: TestApp) => app.get(SecurityEvents, { strict: false }).flush();
  const countOf = ({ database }: TestApp, detail: string) =>
    database.collection('security_events').countDocuments({ detail });

  it('has what waited when the service stopped', async () => {
    record(test, 'the last');
    await test.close();
    const next = await startTestApp({ env: { MONGODB_URI: store.uri } });
    expect(await countOf(next, 'the last')).toBe(1);
    await next.close();
  });

  it('takes 5,000 at once and no more, and goes on later', async () => {
    for (let i = 0; i <= 5_000; i += 1) record(test, 'of a flood');
    await flush(test);
    expect(await countOf(test, 'of a flood')).toBe(5_000);
    record(test, 'later');
    await flush(test);
    expect(await countOf(test, 'later')).toBe(1);
    await test.close();
  });

  it('misses what the database refuses, and goes on with what comes after', async () => {
    const failInserts = (mode: 'alwaysOn' | 'off') =>
      test.database.db
        ?.admin()
        .command({ configureFailPoint: 'failCommand', mode, data: { failCommands: ['insert'], errorCode: 14031 } });
    await failInserts('alwaysOn');
    record(test, 'lost');
    await flush(test);
    await failInserts('off');
    record(test, 'kept');
    await flush(test);
    expect([await countOf(test, 'lost'), await countOf(test, 'kept')]).toEqual([0, 1]);
    await test.close();
  });
});
