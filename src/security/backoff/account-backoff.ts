import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ATTEMPT_KEYS, AttemptCounter } from './attempt-counter.js';

/**
 * The target of an attempt: an account (in general, or from one of its known devices or sessions), or a name without an account.
 * Attempts before an account's latest recovery do not count any more.
 */
export type LoginTarget = { userId: string; recoveries: number; from?: string } | { name: string };

/**
 * The second layer against guessing, beside the limit per address: a growing delay for one account, whichever
 * addresses the guesses come from. It is not a lockout: the delay ends by itself, with a password reset, or with a successful login.
 */
@Injectable()
export class AccountBackoff {
  constructor(private readonly attempts: AttemptCounter) {}

  /** @returns 0 if the attempt may be made, which then is counted; else milliseconds to wait */
  async reserveAttempt(target: LoginTarget): Promise<number> {
    return this.attempts.reserve(keyOf(target));
  }

  /** For an attempt that was counted and then could not be made: too many passwords were waiting to be compared. */
  async giveBack(target: LoginTarget): Promise<void> {
    await this.attempts.giveBack(keyOf(target));
  }

  async clear(target: LoginTarget): Promise<void> {
    await this.attempts.clear(keyOf(target));
  }
}

function keyOf(target: LoginTarget): string {
  // An unknown name is a typing error, and may even be a password: only its digest is kept.
  if ('name' in target) return `${ATTEMPT_KEYS}name:${digest(target.name.toLowerCase())}`;
  const { userId, recoveries, from } = target;
  return `${ATTEMPT_KEYS}user:${userId}:${recoveries}${from ? `:${digest(from)}` : ''}`;
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}
