import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Role } from '../../common/access/index.js';
import { currentRequest } from '../../common/http/index.js';
import { accessOf } from '../access-of.js';
import { AccountReader } from '../authentication/account-reader.js';
import type { AuthenticatedRequest } from '../authentication/principal.js';
import { assertHasRole } from './caller-authority.js';

/** Authorises by role. It reads storage and not the cached record, so that a revoked role is gone at once (ASVS 8.3.2). */
@Injectable()
export class RolesGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly accounts: AccountReader,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { roles } = accessOf(this.reflector, context);
    return roles.length > 0 ? this.assertRole(roles, context) : true;
  }

  private async assertRole(roles: readonly Role[], context: ExecutionContext): Promise<boolean> {
    const { user } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    // The session may be known from the cache alone.
    assertHasRole(await this.accounts.readAccess(user.userId), roles);
    const request = currentRequest();
    if (request) request.authority = { userId: user.userId, sessionId: user.sessionId, roles };
    return true;
  }
}
