import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ATTEMPT_KEYS, AttemptCounter } from './attempt-counter.js';

/** Whom an attempt aims at: an account, from anywhere or from one of its devices or sessions, or a name that belongs to none. */
export type LoginTarget = { userId: string; from?: string } | { name: string };

/**
 * The second layer against guessing, beside the limit per address: a growing delay for one account, whichever
 * addresses the guesses come from. It is no lockout: it ends by itself, with a password reset, and at once with a success.
 */
@Injectable()
export class AccountBackoff {
  constructor(private readonly attempts: AttemptCounter) {}

  /** @returns milliseconds to wait before the next attempt; 0 when this one may be made, which then is counted */
  async reserveAttempt(target: LoginTarget): Promise<number> {
    return this.attempts.reserve(keyOf(target));
  }

  async clear(target: LoginTarget): Promise<void> {
    await this.attempts.clear(keyOf(target));
  }
}

function keyOf(target: LoginTarget): string {
  // A name that nobody has is somebody's typing error, perhaps a password: it is kept as a digest.
  return 'userId' in target
    ? `${ATTEMPT_KEYS}user:${target.userId}${target.from ? `:${digest(target.from)}` : ''}`
    : `${ATTEMPT_KEYS}name:${digest(target.name.toLowerCase())}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
