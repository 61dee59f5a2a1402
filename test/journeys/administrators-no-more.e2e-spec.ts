import { setTimeout as pause } from 'node:timers/promises';
import { type CanActivate, type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CallerAuthority } from '../../src/security/index.js';
import { usesRedis } from '../support/backends.js';
import type { ApiResponse } from '../support/api-client.js';
import type { User } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

/** Of a request that is to stop behind the guards, where others wait for a lock, or a transaction begins anew. */
const HELD = 'x-held';
const waiting: (() => void)[] = [];

@Injectable()
class HoldingGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, unknown> }>();
    if (!headers[HELD]) return true;
    return new Promise((resolve) => waiting.push(() => resolve(true)));
  }
}

@Module({ providers: [{ provide: APP_GUARD, useClass: HoldingGuard }] })
class HoldingModule {}

interface Call {
  method: string;
  path: string;
  body?: object;
}

describe('Whoever is no administrator any more', () => {
  let test: TestApp;
  let beside: TestApp;
  let boss: User;
  let user: User;
  let keyId: string;
  let sessionId: string;
  beforeAll(async () => {
    const env = { RATE_LIMIT: '100000', AUTH_RATE_LIMIT: '100000' };
    test = await startTestApp({ env, extensions: [HoldingModule] });
    beside = usesRedis ? await startTestApp({ env, beside: test }) : test;
    [boss, user] = [await test.personas.admin(), await test.personas.user()];
    keyId = (await send(boss, { method: 'POST', path: 'api-keys', body: { name: 'kept' } })).body.data._id;
    sessionId = (await send(user, { method: 'GET', path: 'login-history' })).body.data.content[0]._id;
  });
  afterAll(async () => {
    if (beside !== test) await beside.close();
    await test.close();
  });

  const send = ({ token }: User, { method, path, body }: Call, { at = test, headers = {} } = {}) =>
    at.client().request(`/api/${path}`, { method, body, apiKey: API_KEY, bearer: token, headers });
  const decide = (about: User, body: object) =>
    send(boss, { method: 'PATCH', path: `users/${about.userId}`, body }, { at: beside });

  /** Sends requests that pass the guards, does something, and lets them go on. */
  async function whileHeld(who: User, calls: Call[], act: () => Promise<ApiResponse>): Promise<ApiResponse[]> {
    const answers = calls.map((call) => send(who, call, { headers: { [HELD]: '1' } }));
    await expect.poll(() => waiting.length).toBe(calls.length);
    expect((await act()).status).toBe(200);
    for (const release of waiting.splice(0)) release();
    return Promise.all(answers);
  }

  it.each<[loss: string, code: string, lose: (admin: User) => Promise<ApiResponse>]>([
    ['has lost the role', '403 role_required', (admin) => decide(admin, { role: null })],
    ['is disabled', '401 account_disabled', (admin) => decide(admin, { status: 'inactive' })],
    [
      'is deleted',
      '401 account_disabled',
      ({ userId }) => send(boss, { method: 'DELETE', path: `users/${userId}` }, { at: beside }),
    ],
    [
      'has lost the session',
      '401 session_revoked',
      ({ userId }) => send(boss, { method: 'DELETE', path: `users/${userId}/login-history` }, { at: beside }),
    ],
    [
      'has reported the login',
      '401 reported_not_me',
      ({ token, refresh_token }) => beside.client().post('/auth/its-not-me', { refresh_token }, { bearer: token }),
    ],
  ])('and %s changes nothing with requests that were let in before', async (_loss, code, lose) => {
    const admin = await test.personas.admin();
    const [ofUser, ofAdmin] = [`users/${user.userId}`, `users/${admin.userId}`];
    const calls: Call[] = [
      { method: 'PATCH', path: ofAdmin, body: { role: 'admin' } },
      { method: 'PATCH', path: ofAdmin, body: { status: 'active' } },
      { method: 'POST', path: `${ofAdmin}/restore`, body: {} },
      { method: 'PATCH', path: ofUser, body: { role: 'admin' } },
      { method: 'PATCH', path: ofUser, body: { status: 'inactive' } },
      { method: 'DELETE', path: ofUser },
      { method: 'POST', path: 'api-keys', body: { name: 'backdoor' } },
      { method: 'POST', path: `api-keys/${keyId}/rotate`, body: {} },
      { method: 'DELETE', path: `api-keys/${keyId}` },
      { method: 'DELETE', path: `${ofUser}/login-history` },
      { method: 'DELETE', path: `${ofUser}/login-history/${sessionId}` },
    ];
    const answers = await whileHeld(admin, calls, () => lose(admin));
    expect(answers.map(({ status, body }) => `${status} ${body.code}`)).toEqual(calls.map(() => code));
    expect((await send(boss, { method: 'GET', path: ofUser })).body.data).toMatchObject({
      role: null,
      status: 'active',
      deleted_at: null,
    });
    expect((await send(user, { method: 'GET', path: 'profile' })).status).toBe(200);
    const keys = (await send(boss, { method: 'GET', path: 'api-keys' })).body.data.content as { name: string }[];
    expect(keys).toEqual([expect.objectContaining({ name: 'kept', rotated_at: null })]);
  });

  it.each<[loss: string, code: string, lose: (admin: User) => Promise<ApiResponse>]>([
    ['the role', '403 role_required', (admin) => decide(admin, { role: null })],
    [
      'the session',
      '401 session_revoked',
      ({ userId }) => send(boss, { method: 'DELETE', path: `users/${userId}/login-history` }, { at: beside }),
    ],
  ])('and loses %s after the last look has changed before, or changes nothing', async (_what, code, lose) => {
    const authority = test.app.get(CallerAuthority, { strict: false });
    const assertHolds = authority.assertHolds.bind(authority);
    for (const call of [
      { method: 'PATCH', path: `users/${user.userId}`, body: { role: 'admin' } },
      { method: 'POST', path: 'api-keys', body: { name: code.replace(' ', '-') } },
    ]) {
      const admin = await test.personas.admin();
      let loss: Promise<ApiResponse> | undefined;
      let isLostBefore = false;
      authority.assertHolds = async () => {
        await assertHolds();
        if (loss) return;
        loss = lose(admin).finally(() => (isLostBefore = !isAnswered));
        await Promise.race([loss, pause(300)]);
      };
      let isAnswered = false;
      const answer = await send(admin, call);
      isAnswered = true;
      authority.assertHolds = assertHolds;
      expect((await loss)?.status).toBe(200);
      const isRefused = `${answer.status} ${answer.body.code}` === code;
      expect(isRefused, `${call.path}: ${answer.status} ${answer.text}`).toBe(isLostBefore);
      expect((await send(admin, { method: 'GET', path: 'api-keys' })).status).toBe(Number(code.slice(0, 3)));
      await decide(user, { role: null });
    }
  });

  // Those that change one account in turn begin anew again and again, long after they were let in.
  it('changes nothing after that with requests that meet each other', async () => {
    for (let round = 0; round < 5; round += 1) {
      const admin = await test.personas.admin();
      const flood = Array.from({ length: 30 }, (_, index) =>
        send(admin, {
          method: 'PATCH',
          path: `users/${user.userId}`,
          body: { role: index % 2 === 0 ? 'admin' : null },
        }),
      );
      await Promise.race(flood);
      expect((await decide(admin, { role: null })).status).toBe(200);
      expect((await decide(user, { role: null })).status).toBe(200);
      await Promise.all(flood);
      const { role } = (await send(boss, { method: 'GET', path: `users/${user.userId}` })).body.data;
      expect(role).toBeNull();
    }
  });
});
