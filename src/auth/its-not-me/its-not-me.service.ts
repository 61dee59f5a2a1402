import { Injectable } from '@nestjs/common';
import type { Principal } from '../../security/index.js';
import { SessionProof } from '../logout/session-proof.js';
import { Lockdown } from './lockdown.js';

@Injectable()
export class ItsNotMeService {
  constructor(
    private readonly proof: SessionProof,
    private readonly lockdown: Lockdown,
  ) {}

  /**
   * Locks the caller's account down.
   * @throws ApiError `token_invalid` if the refresh token is not of the caller's session
   */
  async lockDown(principal: Principal, refreshToken: string): Promise<void> {
    this.proof.assertSameSession(principal, refreshToken);
    const { userId, sessionId, record } = principal;
    await this.lockdown.lockDown({ userId, sessionId, email: record.user.email });
  }
}
