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
   * Locks the bearer's account down.
   * @throws ApiError `token_invalid` when the refresh token is not the session's own
   */
  async lockDown(principal: Principal, refreshToken: string): Promise<void> {
    this.proof.assertSameSession(principal, refreshToken);
    const { userId, sessionId, record } = principal;
    await this.lockdown.run({ userId, sessionId, email: record.user.email });
  }
}
