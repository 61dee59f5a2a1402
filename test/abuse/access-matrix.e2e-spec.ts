import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { RequestMethod } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCESS, type Access } from '../../src/common/access/index.js';
import { expectRefusal } from '../support/invariants.js';
import { HOUR } from '../support/manual-clock.js';
import type { User } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

interface Route {
  method: string;
  path: string;
  access: Access;
}

type Credentials = { apiKey?: string; bearer?: string };

describe('Every route', () => {
  let test: TestApp;
  let routes: Route[];
  let user: User;
  let admin: User;
  let loggedOut: User;
  let expired: User;
  beforeAll(async () => {
    test = await startTestApp({ env: { AUTH_RATE_LIMIT: '100000', RATE_LIMIT: '100000' } });
    // The kit is open to all, has tests of its own, and would take everybody else away.
    routes = declaredRoutes().filter(({ path }) => !path.startsWith('/dev'));
    expired = await test.personas.user();
    test.clock.advance(2 * HOUR);
    user = await test.personas.user();
    admin = await test.personas.admin();
    loggedOut = await test.personas.user();
    await test.client().post('/auth/logout', { refresh_token: loggedOut.refresh_token }, { bearer: loggedOut.token });
  });
  afterAll(() => test.close());

  function declaredRoutes(): Route[] {
    const scanner = new MetadataScanner();
    const controllers = test.app.get(DiscoveryService, { strict: false }).getControllers();
    return controllers.flatMap(({ instance, metatype }) => {
      const prototype = Object.getPrototypeOf(instance) as Record<string, () => unknown>;
      const base = Reflect.getMetadata(PATH_METADATA, metatype as object) as string;
      return scanner
        .getAllMethodNames(prototype)
        .map((name) => prototype[name] as () => unknown)
        .filter((handler) => Reflect.hasMetadata(PATH_METADATA, handler))
        .map((handler) => ({
          method: RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number] as string,
          path: `/${base}/${Reflect.getMetadata(PATH_METADATA, handler) as string}`
            .replace(/\/+/g, '/')
            .replace(/(.)\/$/, '$1')
            .replace(':id', 'a'.repeat(24)),
          access: (Reflect.getMetadata(ACCESS, handler) ?? Reflect.getMetadata(ACCESS, metatype as object)) as Access,
        }));
    });
  }

  /** What the declared access promises to a caller: null when the guards let it through to the handler. */
  function refusalFor({ access }: Route, who: string): string | null {
    const hasKey = who.includes('key') && !who.includes('wrong key');
    if (access.apiKey && !hasKey) return 'invalid_api_key';
    if (access.bearer) {
      if (who.includes('expired')) return 'token_expired';
      if (who.includes('logged out')) return 'logged_out';
      if (who.includes('forged')) return 'token_invalid';
      if (!who.includes('user') && !who.includes('admin')) return 'authentication_required';
    }
    if (access.roles.length > 0 && !who.includes('admin')) return 'role_required';
    return null;
  }

  it('lets in exactly whom it declares', async () => {
    expect(routes.length).toBeGreaterThan(12);
    const callers: Record<string, Credentials> = {
      nobody: {},
      'wrong key': { apiKey: 'wrong' },
      'wrong key and user': { apiKey: 'wrong', bearer: user.token },
      key: { apiKey: API_KEY },
      user: { bearer: user.token },
      'key and forged token': { apiKey: API_KEY, bearer: `${user.token}x` },
      'key and expired user': { apiKey: API_KEY, bearer: expired.token },
      'key and logged out user': { apiKey: API_KEY, bearer: loggedOut.token },
      'key and refresh token (forged)': { apiKey: API_KEY, bearer: user.refresh_token },
      'key and user': { apiKey: API_KEY, bearer: user.token },
      'key and admin': { apiKey: API_KEY, bearer: admin.token },
    };
    for (const route of routes) {
      for (const [who, credentials] of Object.entries(callers)) {
        const body = route.method === 'GET' ? undefined : {};
        const response = await test.client().request(route.path, { method: route.method, body, ...credentials });
        const expected = refusalFor(route, who);
        const label = `${route.method} ${route.path} by ${who}: ${response.status} ${response.text.slice(0, 120)}`;
        if (expected) {
          expectRefusal(route.path, response, expected === 'role_required' ? 403 : 401);
          expect(response.body.code, label).toBe(expected);
          if (expected === 'role_required') expect(response.body.message).toBe('Unauthorized');
        } else {
          expect([200, 422, 404], label).toContain(response.status);
        }
      }
    }
  });

  it('forgets a role that was taken away at once, though the record is cached', async () => {
    const events = () => test.client().get('/api/security-events', { apiKey: API_KEY, bearer: admin.token });
    expect((await events()).status).toBe(200);
    const { _id } = (await test.database.collection('users').findOne({ username: admin.registration.username })) ?? {};
    await test.database.collection('auths').updateOne({ user: _id }, { $set: { role: null } });
    expect((await events()).status).toBe(403);
    await test.database.collection('auths').updateOne({ user: _id }, { $set: { role: 'admin' } });
    expect((await events()).status).toBe(200);
  });
});
