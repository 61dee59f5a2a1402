import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, newRegistration, PASSWORD, startTestApp, type TestApp } from '../support/index.js';

describe('When the clock of the test kit is moved', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  const advance = async (ms: number) =>
    expect((await test.client().patch('/dev/clock', { advance_seconds: ms / 1000 })).status).toBe(200);

  it('a device that was not used for so long is new again, and its mail says whose login it was', async () => {
    const { client, registration } = await test.personas.user();
    const logIn = () => client.post('/auth/login', { login: registration.username, password: PASSWORD });
    await advance(89 * DAY);
    expect((await logIn()).status).toBe(200);
    await advance(91 * DAY);
    expect((await logIn()).status).toBe(200);
    const { link, token } = await test.inbox.waitFor(registration.email, 'new-device');
    expect(new URL(String(link)).searchParams.get('token')).toBe(token);
    expect((await test.inbox.mailsTo(registration.email)).filter(({ kind }) => kind === 'new-device')).toHaveLength(1);
    expect((await test.client().post('/auth/report-login', { token })).status).toBe(200);
  });

  it('the names of an account that was never confirmed are free the next day, and mails are still there', async () => {
    const first = newRegistration();
    expect((await test.client().post('/auth/register', first)).status).toBe(201);
    const second = newRegistration({ username: first.username });
    expect((await test.client().post('/auth/register', second)).status).toBe(422);
    await advance(DAY);
    expect((await test.client().post('/auth/register', second)).status).toBe(201);
    await advance(30 * DAY);
    expect(await test.inbox.mailsTo(first.email)).toHaveLength(1);
  });

  it('answers are dated by it', async () => {
    const { body } = await test.client().patch('/dev/clock', { advance_seconds: 5 * 86_400 });
    const dateOf = async () => Date.parse((await test.client().get('/health/live')).headers.get('date') ?? '');
    expect(Math.abs((await dateOf()) - Date.parse(body.data.now))).toBeLessThan(10_000);
    await test.client().delete('/dev/clock');
    expect(Math.abs((await dateOf()) - Date.now())).toBeLessThan(10_000);
  });
});
