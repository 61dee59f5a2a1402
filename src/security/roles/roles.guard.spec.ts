import type { Type } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from 'vitest';
import { AdminOnly, Protected, type Role } from '../../common/access/index.js';
import { AccountReader } from '../authentication/account-reader.js';
import { RolesGuard } from './roles.guard.js';

/** A role that a product adds to the list. */
const SUPPORT = 'support' as Role;

class Routes {
  @AdminOnly()
  ofAdministrators(): void {}

  @Protected()
  ofUsers(): void {}

  @Protected({ roles: ['admin', SUPPORT] })
  ofEither(): void {}

  undeclared(): void {}
}

@AdminOnly()
class AdministratorsRoutes {
  inherited(): void {}

  @Protected()
  openedUp(): void {}
}

describe('RolesGuard', () => {
  /** Whether somebody may call a route whose cached record says one thing and whose account in storage another. */
  async function isLetIn(
    controller: Type,
    handler: string,
    { cached = null, stored }: { cached?: Role | null; stored: Role | null | 'gone' },
  ): Promise<boolean> {
    const readAccess = () =>
      Promise.resolve(stored === 'gone' ? null : { isActive: true, record: { auth: { role: stored } } });
    const module = await Test.createTestingModule({
      providers: [RolesGuard, { provide: AccountReader, useValue: { readAccess } }],
    }).compile();
    const request = { user: { userId: '66f2a1b3c4d5e6f708192a3b', record: { auth: { role: cached } } } };
    const context = new ExecutionContextHost([request], controller, controller.prototype[handler]);
    try {
      return await module.get(RolesGuard).canActivate(context);
    } catch (error) {
      expect(error).toMatchObject({ code: 'role_required', status: 403, message: 'Unauthorized' });
      return false;
    }
  }

  it('lets administrators in where the route asks for one', async () => {
    expect(await isLetIn(Routes, 'ofAdministrators', { stored: 'admin' })).toBe(true);
    expect(await isLetIn(Routes, 'ofAdministrators', { stored: null })).toBe(false);
  });

  it('lets in whoever has one of several roles', async () => {
    expect(await isLetIn(Routes, 'ofEither', { stored: SUPPORT })).toBe(true);
    expect(await isLetIn(Routes, 'ofEither', { stored: 'admin' })).toBe(true);
    expect(await isLetIn(Routes, 'ofEither', { stored: null })).toBe(false);
    expect(await isLetIn(Routes, 'ofAdministrators', { stored: SUPPORT })).toBe(false);
  });

  it('believes storage, and not what the cache says of a role', async () => {
    expect(await isLetIn(Routes, 'ofAdministrators', { cached: 'admin', stored: null })).toBe(false);
    expect(await isLetIn(Routes, 'ofAdministrators', { cached: 'admin', stored: 'gone' })).toBe(false);
    expect(await isLetIn(Routes, 'ofAdministrators', { cached: null, stored: 'admin' })).toBe(true);
  });

  it('asks nothing of others', async () => {
    expect(await isLetIn(Routes, 'ofUsers', { stored: null })).toBe(true);
  });

  it('closes a route that declares nothing to all but administrators', async () => {
    expect(await isLetIn(Routes, 'undeclared', { stored: null })).toBe(false);
    expect(await isLetIn(Routes, 'undeclared', { stored: 'admin' })).toBe(true);
  });

  it('takes the word of the route before that of its controller', async () => {
    expect(await isLetIn(AdministratorsRoutes, 'inherited', { stored: null })).toBe(false);
    expect(await isLetIn(AdministratorsRoutes, 'openedUp', { stored: null })).toBe(true);
  });
});
