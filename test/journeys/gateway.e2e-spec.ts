import { readFileSync } from 'node:fs';
import { Controller, Get, Module, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminOnly, Protected } from '../../src/common/access/index.js';
import { CurrentPrincipal, type Principal } from '../../src/security/index.js';
import { API_KEY, startTestApp, type TestApp, type User } from '../support/index.js';

// The classes of docs/gateways.md.
@ApiExcludeController()
@Controller('gateway')
class GatewayController {
  /** Of users: 204 with their id, or the service's refusal. */
  @Get('user')
  @Protected({ limit: 'none' })
  askForUser(@CurrentPrincipal() { userId }: Principal, @Res({ passthrough: true }) reply: FastifyReply): void {
    void reply.status(204).header('x-user-id', userId);
  }

  @Get('admin')
  @AdminOnly({ limit: 'none' })
  askForAdmin(@CurrentPrincipal() principal: Principal, @Res({ passthrough: true }) reply: FastifyReply): void {
    this.askForUser(principal, reply);
  }
}

@Module({ controllers: [GatewayController] })
class GatewayModule {}

describe('A gateway that asks the service about each request', () => {
  let test: TestApp;
  let user: User;
  let admin: User;
  beforeAll(async () => {
    test = await startTestApp({ extensions: [GatewayModule], env: { RATE_LIMIT: '3' } });
    [user, admin] = [await test.personas.user(), await test.personas.admin()];
  });
  afterAll(() => test.close());

  const ask = (who: 'user' | 'admin', headers: Record<string, string>) =>
    fetch(`${test.url}/gateway/${who}`, { headers: { 'x-api-key': API_KEY, ...headers } });
  const as = ({ token }: User) => ({ authorization: `Bearer ${token}` });

  it('learns who it is, as often as it asks, and who is none', async () => {
    for (let time = 0; time < 10; time += 1) {
      const { status, headers } = await ask('user', as(user));
      expect([status, headers.get('x-user-id'), headers.get('ratelimit')]).toEqual([204, user.userId, null]);
    }
    expect((await ask('user', {})).status).toBe(401);
    expect((await ask('user', { ...as(user), 'x-api-key': 'no' })).status).toBe(401);
    expect((await ask('admin', as(user))).status).toBe(403);
    expect((await ask('admin', as(admin))).status).toBe(204);
    await user.client.post('/auth/logout', { refresh_token: user.refresh_token }, { bearer: user.token });
    expect((await ask('user', as(user))).status).toBe(401);
  });

  it('is in no document that clients read', async () => {
    expect((await test.client().get('/openapi.json')).text).not.toContain('/gateway');
  });

  it('is documented as it is here', () => {
    const documented = /```ts\n([^]+?)```/.exec(readFileSync('docs/gateways.md', 'utf8'))?.[1] as string;
    const source = readFileSync(import.meta.filename, 'utf8');
    const classes = (text: string) =>
      text.slice(text.indexOf('@ApiExcludeController()'), text.indexOf('class GatewayModule {}'));
    expect(classes(documented).replace('export ', '')).toBe(classes(source));
  });
});
