import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Types } from 'mongoose';
import type { OnCleanSlate } from '../../common/clean-slate/index.js';
import { Clock } from '../../common/clock/index.js';
import { currentRequest } from '../../common/http/index.js';
import { DatabaseServer, Transactions } from '../../infrastructure/database/index.js';
import { Metrics } from '../../infrastructure/observability/index.js';
import { SECURITY_EVENT_KINDS, type SecurityEventKind } from './security-event-kinds.js';
import { type SecurityEventEntry, SecurityEventsRepository } from './security-events.repository.js';

export interface NewSecurityEvent {
  kind: SecurityEventKind;
  outcome: 'success' | 'failure';
  userId?: string | null;
  sessionId?: string;
  detail?: string;
}

const FLUSH_MS = 250;
/** Events beyond this are not stored: during an attack faster than the database only the log has every event. */
const MAX_WAITING = 5_000;

/**
 * Records security events: each is logged at once, and stored for 90 days, for administrators to read. They are stored in
 * batches after the answers, so that a refused request costs no write of its own.
 */
@Injectable()
export class SecurityEvents implements OnApplicationBootstrap, OnCleanSlate {
  private readonly logger = new Logger('SecurityEvents');
  private readonly counters;
  private waiting: SecurityEventEntry[] = [];
  private storing: Promise<void> = Promise.resolve();

  constructor(
    private readonly repository: SecurityEventsRepository,
    private readonly clock: Clock,
    private readonly database: DatabaseServer,
    private readonly transactions: Transactions,
    metrics: Metrics,
  ) {
    this.counters = metrics.counters(
      'security_events_total',
      'Events of the security record',
      'kind',
      SECURITY_EVENT_KINDS,
    );
  }

  onApplicationBootstrap(): void {
    // The timer is created here: created by a request, it would run in that request's async context and transaction.
    const timer = setInterval(() => void this.flush(), FLUSH_MS);
    this.database.beforeClose(async () => {
      clearInterval(timer);
      await this.flush();
    });
  }

  /** Logs the event, and stores it within a moment. */
  record(event: NewSecurityEvent): void {
    const entry = this.entryOf(event);
    this.log(entry);
    if (this.waiting.length < MAX_WAITING) this.waiting.push(entry);
  }

  /** Stores the event in the caller's transaction, and logs it after the commit, so that it exists exactly if its cause does. */
  async recordWith(event: NewSecurityEvent): Promise<void> {
    const entry = this.entryOf(event);
    await this.repository.insert([entry]);
    this.transactions.afterCommit(() => this.log(entry));
  }

  /** Resolves when everything recorded so far is stored, including by earlier calls. */
  async flush(): Promise<void> {
    if (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      this.storing = Promise.all([this.storing, this.store(batch)]).then(() => undefined);
    }
    await this.storing;
  }

  /** Waits for a batch that is being stored, which would otherwise arrive on the clean slate. */
  async onCleanSlate(): Promise<void> {
    this.waiting = [];
    await this.storing;
  }

  private async store(batch: SecurityEventEntry[]): Promise<void> {
    await this.repository.insert(batch).catch((error: Error) => {
      this.logger.warn(`${batch.length} security events could not be stored (${error.name}); they are in the log`);
    });
  }

  private entryOf({ kind, outcome, userId, sessionId, detail }: NewSecurityEvent): SecurityEventEntry {
    const request = currentRequest();
    return {
      kind,
      outcome,
      at: this.clock.now(),
      user: userId ? new Types.ObjectId(userId) : null,
      by: request?.callerId ? new Types.ObjectId(request.callerId) : null,
      session: sessionId ?? null,
      ip: request?.ip ?? null,
      request_id: request?.requestId ?? null,
      detail: detail ?? null,
    };
  }

  private log(entry: SecurityEventEntry): void {
    this.counters[entry.kind].inc();
    const { user, by } = entry;
    const ids = { user: user?.toHexString() ?? null, by: by?.toHexString() ?? null };
    this.logger.log({ ...entry, event: entry.kind, ...ids }, 'security event');
  }
}
