import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type EmbeddedMongodb,
  startEmbeddedMongodb,
} from '../../src/infrastructure/database/embedded-mongodb/index.js';
import type { ApiResponse } from '../support/api-client.js';
import { MINUTE } from '../support/manual-clock.js';
import { newRegistration, PASSWORD } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const STORM_MS = 10_000;
const PEOPLE_AT_A_TIME = 4;
/** What members say before, while and after another one is elected, to reads, writes and commits. */
const REFUSALS = [10107, 189, 11602, 11600, 13435, 91, 112, 24, 262, 134, 43, 246, 251, 50, 290];
const COMMANDS = ['find', 'insert', 'update', 'delete', 'findAndModify', 'aggregate', 'getMore', 'commitTransaction'];
const LABELS = ['RetryableWriteError', 'TransientTransactionError'];

describe('While the database elects a primary', () => {
  let store: EmbeddedMongodb;
  let control: MongoClient;
  let test: TestApp;
  beforeAll(async () => {
    store = await startEmbeddedMongodb();
    control = await new MongoClient(store.uri).connect();
    const env = { MONGODB_URI: store.uri, AUTH_RATE_LIMIT: '100000', RATE_LIMIT: '100000' };
    test = await startTestApp({ env });
  });
  afterAll(async () => {
    await test.close();
    await control.close();
    await store.close();
  });

  const fail = (mode: object | string, data: object) =>
    control.db('admin').command({ configureFailPoint: 'failCommand', mode, data });
  const recover = () => fail('off', {});

  let refusals = 0;
  /** As a client does that is told to come again. */
  async function untilDone(request: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const deadline = performance.now() + 3 * STORM_MS;
    for (;;) {
      const response = await request();
      if (response.status !== 503) return response;
      if (performance.now() > deadline) throw new Error(`Refused to the end: ${response.text}`);
      refusals += 1;
      expect(response.body.code).toBe('service_unavailable');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      await pause(100);
    }
  }

  /** @returns null when its mail takes longer */
  async function codeFor(email: string): Promise<string | null> {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const { body } = await test.client().get(`/dev/inbox?to=${email}`);
      const [mail] = body.data ?? [];
      if (mail) return mail.otp;
      await pause(100);
    }
    return null;
  }

  it('whoever is refused is told to come again, and what was answered holds', { timeout: 60_000 }, async () => {
    const client = test.client();
    const later: string[] = [];
    let isStormy = true;
    const people = Array.from({ length: PEOPLE_AT_A_TIME }, async () => {
      while (isStormy) {
        const registration = newRegistration();
        const { email, username } = registration;
        expect((await untilDone(() => client.post('/auth/register', registration))).status).toBe(201);
        const otp = await codeFor(email);
        if (!otp) {
          later.push(email);
          continue;
        }
        expect((await untilDone(() => client.post('/auth/verify-otp', { email, otp }))).status).toBe(200);
        const opened = await untilDone(() => client.post('/auth/login', { login: username, password: PASSWORD }));
        expect(opened.status, opened.text).toBe(200);
        const { refresh_token } = opened.body.data;
        const refreshed = await untilDone(() => client.post('/auth/refresh-token', { refresh_token }));
        expect(refreshed.status, refreshed.text).toBe(200);
        const { token: bearer } = refreshed.body.data;
        const ended = await untilDone(() =>
          client.post('/auth/logout', { refresh_token: refreshed.body.data.refresh_token }, { bearer }),
        );
        expect(ended.status, ended.text).toBe(200);
        const refused = await untilDone(() => client.get('/api/profile', { bearer, apiKey: API_KEY }));
        expect(refused.body.code).toBe('logged_out');
      }
    });
    const end = performance.now() + STORM_MS;
    for (let turn = 0; performance.now() < end; turn += 1) {
      const failCommands = COMMANDS.filter((_, place) => (turn + place) % 3 !== 0);
      await fail(turn % 2 === 0 ? 'alwaysOn' : { times: 1 + (turn % 5) }, {
        failCommands,
        errorCode: REFUSALS[turn % REFUSALS.length],
        errorLabels: LABELS,
      });
      await pause(100 + (turn % 7) * 100);
      await recover();
      await pause(100 + (turn % 3) * 100);
    }
    isStormy = false;
    await Promise.all(people);
    expect(refusals).toBeGreaterThan(0);
    // A mail whose taking or sending was refused is tried again, or taken over.
    const missing = async () => {
      test.clock.advance(MINUTE);
      await pause(500);
      const mails = await Promise.all(later.map((email) => test.inbox.mailsTo(email)));
      return later.filter((_, place) => mails[place]?.length === 0);
    };
    await expect.poll(missing, { timeout: 30_000 }).toEqual([]);
  });
});
