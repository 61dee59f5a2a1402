import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import {
  type Device,
  type Location,
  LocationFinder,
  parseDevice,
  SessionsRepository,
} from '../../login-history/index.js';
import type { Account } from '../../users/index.js';
import type { Client } from './client.decorator.js';
import { TokenPairs } from './token-pairs.js';
import type { TokensDto } from './tokens.dto.js';

export interface OpenedSession {
  sessionId: string;
  loggedInAt: Date;
  answer: TokensDto;
  ip: string;
  device: Device | undefined;
  location: Location | undefined;
}

/** Opens a session: its tokens and its login-history entry. */
@Injectable()
export class SessionOpening {
  private readonly logger = new Logger(SessionOpening.name);

  constructor(
    private readonly tokenPairs: TokenPairs,
    private readonly sessions: SessionsRepository,
    private readonly locations: LocationFinder,
    private readonly clock: Clock,
  ) {}

  /** The tokens are valid from here on. */
  async open({ userId, authId, credentialVersion }: Account, { ip, userAgent }: Client): Promise<OpenedSession> {
    const sessionId = this.sessions.nextId();
    const loggedInAt = this.clock.now();
    const answer = this.tokenPairs.issue({ userId, sessionId, generation: 0, rotatedAt: loggedInAt, loggedInAt });
    const device = parseDevice(userAgent);
    const location = await this.locations.find(ip);
    const insertion = this.sessions.insert({
      sessionId,
      userId,
      authId,
      ip,
      userAgent,
      device,
      location,
      accessToken: answer.token,
      refreshToken: answer.refresh_token,
      loggedInAt,
      credentialVersion,
    });
    await insertion.catch((error: unknown) => {
      // It may be stored though the answer was lost.
      void this.withdraw({ sessionId });
      throw error;
    });
    return { sessionId, loggedInAt, answer, ip, device, location };
  }

  /** Takes a session back whose tokens nobody has been given. A failure leaves its entry in the login history, and no more. */
  async withdraw({ sessionId }: Pick<OpenedSession, 'sessionId'>): Promise<void> {
    try {
      await this.sessions.withdraw(sessionId);
    } catch (error) {
      this.logger.warn({ err: error, session: sessionId }, 'The entry of a refused login stays in the login history');
    }
  }
}
