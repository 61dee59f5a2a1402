import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { addressBucket, currentRequest } from '../../common/http/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { Metrics } from '../../infrastructure/observability/index.js';
import { FairQueue } from './fair-queue.js';
import { HashThreads } from './hash-threads.js';

/** bcrypt ignores everything after these bytes: longer passwords with the same beginning would be equal. */
export const MAX_PASSWORD_BYTES = 72;

/** Further callers get a 503 at once. */
const QUEUED_PER_SLOT = 50;

/**
 * Who waits longer gets a 503. A request may wait twice, and has 4.5 s: hashes that come too late for its answer would keep the next
 * ones waiting until theirs come too late as well, and with a little more than the cores can do nobody would log in any more.
 */
const LONGEST_WAIT_MS = 2_000;

const SALT_AND_HASH_CHARACTERS = 53;

const DURATION_BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5];

interface Turn {
  begin(): void;
  refuse(): void;
  /** Whether it has waited too long, or nobody waits for it any more. */
  isLate(): boolean;
}

/**
 * bcrypt for a bounded number of secrets at a time. Without the bound, a burst of logins would occupy every core for seconds. The
 * callers' addresses take turns, or one that sends many logins would keep everybody else out. Work of no request is one origin.
 */
@Injectable()
export class PasswordHasher implements OnApplicationShutdown {
  private readonly threads = new HashThreads();
  private readonly waiting: FairQueue<Turn>;
  private running = 0;
  private readonly cost: number;
  private readonly concurrency: number;
  /**
   * The hash of no password. A decoy of the same form and cost as a real one: comparing with a malformed one is fast, and would reveal
   * unknown accounts.
   */
  readonly hashOfNobody: string;

  private readonly refused;
  private readonly duration;

  constructor({ passwords }: Config, metrics: Metrics) {
    this.cost = passwords.hashCost;
    this.concurrency = passwords.hashConcurrency;
    this.waiting = new FairQueue(this.concurrency * QUEUED_PER_SLOT);
    this.hashOfNobody = `$2b$${String(this.cost).padStart(2, '0')}$${'.'.repeat(SALT_AND_HASH_CHARACTERS)}`;
    metrics.gauge('password_hashes_running', 'bcrypt hashes being computed', () => this.running);
    metrics.gauge('password_hashes_waiting', 'bcrypt hashes waiting for their turn', () => this.waiting.size);
    this.refused = metrics.counter(
      'password_hashes_refused_total',
      'Hashes refused because too many waited, or waited too long',
    );
    this.duration = metrics.histogram(
      'password_hash_duration_seconds',
      'One bcrypt hash, without its wait',
      DURATION_BUCKETS_SECONDS,
    );
  }

  /**
   * @param secret a password, or a one-time code; normalised to NFC (NIST SP 800-63B-4 section 3.1.1.2), so that the same
   * text typed on another keyboard is the same password.
   * @throws ApiError `service_unavailable` if too many hashes are waiting
   */
  async hash(secret: string): Promise<string> {
    return this.inTurn(() => this.threads.hash(secret.normalize('NFC'), this.cost));
  }

  /**
   * Always makes one bcrypt comparison, so that an unknown account takes the same time.
   * @param expected the stored hash; null if there is none
   * @throws ApiError `service_unavailable` if too many hashes are waiting
   */
  async verify(secret: string, expected: string | null): Promise<boolean> {
    const text = secret.normalize('NFC');
    const isComparable = expected !== null && Buffer.byteLength(text) <= MAX_PASSWORD_BYTES;
    const isEqual = await this.inTurn(() => this.threads.compare(text, isComparable ? expected : this.hashOfNobody));
    return isComparable && isEqual;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.concurrency) this.running += 1;
    else await this.turn();
    const stopTimer = this.duration.startTimer();
    try {
      return await work();
    } finally {
      stopTimer();
      // The slot passes to the next in the queue and is not freed, or a newcomer could overtake the queue.
      const next = this.nextInTime();
      if (next) next.begin();
      else this.running -= 1;
    }
  }

  private nextInTime(): Turn | undefined {
    for (let next = this.waiting.next(); ; next = this.waiting.next()) {
      if (!next?.isLate()) return next;
      next.refuse();
    }
  }

  /** @throws ApiError `service_unavailable` if too many wait, also later, if it has to give way or has waited too long */
  private turn(): Promise<void> {
    const request = currentRequest();
    const dueMs = performance.now() + LONGEST_WAIT_MS;
    return new Promise((begin, reject) => {
      const refuse = () => {
        this.refused.inc();
        reject(new ApiError('service_unavailable', { retryAfterSeconds: 2 }));
      };
      // What no request waits for has all the time in the world.
      const isLate = () => request !== undefined && (request.isOver || performance.now() > dueMs);
      this.waiting.add(addressBucket(request?.ip ?? ''), { begin, refuse, isLate })?.refuse();
    });
  }
}
