import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { Inbox } from '../support/inbox.js';
import { newRegistration, PASSWORD, Personas, type User } from '../support/personas.js';
import { ServiceProcess } from '../support/service-process.js';

const CYCLES = 3;

describe('A service that is killed under load', () => {
  const directory = mkdtempSync(join(tmpdir(), 'accounts-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  // The answer to a refresh may be lost in the crash; the token that the client still has is then the one before.
  const start = async () => {
    const service = new ServiceProcess({ DATA_DIR: directory, AUTH_RATE_LIMIT: '100000', REFRESH_GRACE: '60s' });
    const client = new ApiClient(await service.started(), '');
    return { service, client, personas: new Personas(() => client, new Inbox(client)) };
  };

  it('has everything that it answered with success, and no half of anything', async () => {
    const registered: { username: string; email: string }[] = [];
    const loggedOut: User[] = [];
    const alive: User[] = [];
    let refreshes = 0;
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      const { service, client, personas } = await start();
      const users = await Promise.all(Array.from({ length: 6 }, () => personas.user()));
      // Each kind of work goes on until the process dies; only answers count.
      let isDead = false;
      const registering = (async () => {
        while (!isDead) {
          const registration = newRegistration();
          const { status } = await client.post('/auth/register', registration).catch(() => ({ status: 0 }));
          if (status === 201) registered.push(registration);
        }
      })();
      const loggingOut = (async () => {
        for (const user of users.slice(0, 3)) {
          const { status } = await client
            .post('/auth/logout', { refresh_token: user.refresh_token }, { bearer: user.token })
            .catch(() => ({ status: 0 }));
          if (status === 200) loggedOut.push(user);
        }
      })();
      const refreshing = users.slice(3).map(async (user) => {
        while (!isDead) {
          const { status, body } = await client
            .post('/auth/refresh-token', { refresh_token: user.refresh_token })
            .catch(() => ({ status: 0, body: null }));
          if (status !== 200) continue;
          Object.assign(user, { token: body.data.token, refresh_token: body.data.refresh_token });
          refreshes += 1;
        }
        alive.push(user);
      });
      await expect.poll(() => registered.length, { timeout: 20_000 }).toBeGreaterThan(cycle * 5);
      await service.kill('SIGKILL');
      isDead = true;
      await Promise.all([registering, loggingOut, ...refreshing]);
    }
    expect(loggedOut.length).toBeGreaterThan(CYCLES);
    expect(refreshes).toBeGreaterThan(CYCLES * 3);

    const { service, client } = await start();
    for (const { username } of registered) {
      const { body } = await client.post('/auth/login', { login: username, password: PASSWORD });
      expect(body.code, 'the account is there, and unconfirmed').toBe('email_not_verified');
    }
    for (const { refresh_token } of loggedOut) {
      const { status, body } = await client.post('/auth/refresh-token', { refresh_token });
      expect([status, body.code]).toEqual([401, 'logged_out']);
    }
    for (const { refresh_token } of alive) {
      expect(
        (await client.post('/auth/refresh-token', { refresh_token })).status,
        'the last token that was answered',
      ).toBe(200);
    }
    const again = await client.post('/auth/register', newRegistration({ email: registered[0]?.email }));
    expect(again.body.errors).toEqual([{ field: 'email', message: 'email is already taken' }]);
    await service.kill('SIGTERM');
  });
});
