import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbeddedMongodb } from '../../src/infrastructure/database/embedded-mongodb/index.js';
import { ApiClient, type ApiResponse } from '../support/api-client.js';
import { Inbox, wrongCode } from '../support/inbox.js';
import { newRegistration } from '../support/personas.js';
import { ServiceProcess } from '../support/service-process.js';

const PASSWORD = 'Canary-Passw0rd!one';
const NEW_PASSWORD = 'Canary-Passw0rd!two';
const WRONG_PASSWORD = 'Canary-Passw0rd!wrong';

/** Control characters, colour codes, format strings and a fake line of the log. */
const HOSTILE = 'Mozilla [31m %s%d%o%j {"level":"fatal"}';

describe('No secret', () => {
  const directory = mkdtempSync(join(tmpdir(), 'accounts-'));
  /** Each secret under its name, and where it belongs: the answers and mails that carried it to its owner. */
  const secrets = new Map<string, string>();
  const answers: { path: string; text: string }[] = [];
  let log = '';
  let stored = '';

  beforeAll(async () => {
    const service = new ServiceProcess({ DATA_DIR: directory, LOG_LEVEL: 'trace', AUTH_RATE_LIMIT: '1000' });
    const url = await service.started();
    const client = new ApiClient(url, '127.0.0.1');
    const inbox = new Inbox(client);
    const apiKey = /API key +(\S+)/.exec(service.output)?.[1] as string;
    const post = async (path: string, body: unknown, bearer?: string): Promise<ApiResponse> => {
      const response = await client.post(path, body, {
        bearer,
        headers: { 'user-agent': HOSTILE },
      });
      answers.push({ path, text: response.text });
      return response;
    };
    const login = async (name: string, password: string, label: string) => {
      const { data } = (await post('/auth/login', { login: name, password })).body;
      secrets.set(`access token ${label}`, data.token);
      secrets.set(`refresh token ${label}`, data.refresh_token);
      return data as { token: string; refresh_token: string };
    };

    for (const [name, value] of Object.entries({ PASSWORD, NEW_PASSWORD, WRONG_PASSWORD, apiKey }))
      secrets.set(name, value);
    const registration = newRegistration({ password: PASSWORD, password_confirmation: PASSWORD });
    const { email, username } = registration;
    await post('/auth/register', registration);
    await post('/auth/register', registration);
    await post('/auth/register', { ...registration, password_confirmation: WRONG_PASSWORD });
    await post('/auth/login', `{"login":"${username}","password":"${WRONG_PASSWORD}"`);
    const { otp } = await inbox.waitFor(email, 'email-verification');
    secrets.set('otp', otp as string);
    await post('/auth/verify-otp', { email, otp: wrongCode(otp) });
    await post('/auth/verify-otp', { email, otp });
    await post('/auth/login', { login: HOSTILE, password: WRONG_PASSWORD });
    await post('/auth/login', { login: `\u001b${HOSTILE}\r\n{"level":"fatal"}`, password: WRONG_PASSWORD });
    await post('/auth/login', { login: username, password: WRONG_PASSWORD });
    const session = await login(username, PASSWORD, 'first');
    const profile = await client.get('/api/profile', { apiKey, bearer: session.token });
    answers.push({ path: '/api/profile', text: profile.text });
    answers.push({
      path: '/api/profile',
      text: (await client.get('/api/profile', { apiKey: `${apiKey}x`, bearer: session.token })).text,
    });
    const { data: next } = (await post('/auth/refresh-token', { refresh_token: session.refresh_token })).body;
    secrets.set('access token, refreshed', next.token);
    secrets.set('refresh token, refreshed', next.refresh_token);
    await post('/auth/refresh-token', { refresh_token: `${next.refresh_token}x` });
    await post('/auth/its-not-me', { refresh_token: next.refresh_token }, next.token);
    await post('/auth/login', { login: username, password: PASSWORD });
    const { token } = await inbox.waitFor(email, 'security-alert');
    secrets.set('reset token', token as string);
    await post('/auth/reset-password', { token, password: PASSWORD, password_confirmation: PASSWORD });
    await post('/auth/reset-password', { token, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD });
    await post('/auth/reset-password', { token, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD });
    const last = await login(email, NEW_PASSWORD, 'last');
    await post('/auth/logout', { refresh_token: last.refresh_token }, last.token);
    await client.get(`/nothing?token=${last.token}`);
    await service.kill('SIGTERM');
    log = service.output.replace(/^ {2}API key .*$/m, '') + service.errors;

    const store = await startEmbeddedMongodb({ directory: join(directory, 'mongodb') });
    const connection = await createConnection(store.uri, { dbName: 'accounts' }).asPromise();
    const hashes = await connection.collection('users').find().toArray();
    hashes.forEach(({ password }, i) => secrets.set(`password hash ${i}`, password as string));
    for (const { name } of await connection.listCollections()) {
      // The development inbox shows mails in the clear; it does not exist in production.
      if (name !== 'dev_inbox' && name !== 'users')
        stored += JSON.stringify(await connection.collection(name).find().toArray());
    }
    await connection.close();
    await store.close();
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const found = (text: string, except: (name: string) => boolean = () => false) =>
    [...secrets].filter(([name, value]) => !except(name) && text.includes(value)).map(([name]) => name);

  it('is in the log, at its most talkative level', () => {
    expect(secrets.size).toBeGreaterThanOrEqual(13);
    expect(log.length).toBeGreaterThan(5_000);
    expect(found(log)).toEqual([]);
    expect(log).not.toMatch(/eyJhbGciOi/);
  });

  it('is in the database', () => {
    expect(stored.length).toBeGreaterThan(2_000);
    expect(found(stored, (name) => name === 'otp')).toEqual([]);
    expect(stored).not.toMatch(new RegExp(`"${secrets.get('otp')}"`));
  });

  it('is in an answer, save a token in the one that issues it', () => {
    const issuing = new Set(['/auth/login', '/auth/refresh-token']);
    for (const { path, text } of answers) {
      expect(
        found(text, (name) => name === 'otp' || (issuing.has(path) && name.includes(' token'))),
        path,
      ).toEqual([]);
    }
  });

  it('and no hostile text breaks a line of the log', () => {
    const lines = log.split('\n').filter((line) => line.startsWith('{'));
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
    expect(log).not.toContain('\u001b');
  });
});
