import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { LocationFinder, parseDevice, SessionsRepository } from '../../login-history/index.js';
import type { Account } from '../../users/index.js';
import type { Client } from './client.decorator.js';
import { NewDeviceNotice } from './new-device-notice.js';
import { TokenPairs } from './token-pairs.js';
import type { TokensDto } from './tokens.dto.js';

export interface OpenedSession {
  sessionId: string;
  loggedInAt: Date;
  answer: TokensDto;
}

/** Opens a session: its tokens, its login-history entry, and a mail to the owner if device and network are new. */
@Injectable()
export class SessionOpening {
  constructor(
    private readonly tokenPairs: TokenPairs,
    private readonly sessions: SessionsRepository,
    private readonly locations: LocationFinder,
    private readonly newDeviceNotice: NewDeviceNotice,
    private readonly clock: Clock,
  ) {}

  issueTokens({ userId }: Account): OpenedSession {
    const sessionId = this.sessions.nextId();
    const loggedInAt = this.clock.now();
    const answer = this.tokenPairs.issue({ userId, sessionId, generation: 0, rotatedAt: loggedInAt, loggedInAt });
    return { sessionId, loggedInAt, answer };
  }

  /** The tokens are valid from here on. */
  async record(
    { sessionId, loggedInAt, answer }: OpenedSession,
    account: Account,
    { ip, userAgent }: Client,
  ): Promise<void> {
    const device = parseDevice(userAgent);
    const location = await this.locations.find(ip);
    await this.sessions.insert({
      sessionId,
      userId: account.userId,
      authId: account.authId,
      ip,
      userAgent,
      device,
      location,
      accessToken: answer.token,
      refreshToken: answer.refresh_token,
      loggedInAt,
      credentialVersion: account.credentialVersion,
    });
    await this.newDeviceNotice.consider({
      userId: account.userId,
      sessionId,
      recoveries: account.recoveries,
      confirmedAt: account.confirmedAt,
      email: account.email,
      ip,
      device,
      location,
      loggedInAt,
    });
  }
}
