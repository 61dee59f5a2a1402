import { Inject, Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { REDIS, type RedisConnection } from '../../infrastructure/redis/index.js';
import { ATTEMPT_KEYS, THROTTLING_KEYS } from '../../security/index.js';
import { InboxMail } from '../inbox/inbox-mail.schema.js';
import { MovableClock } from './movable-clock.js';

/**
 * Moves the service's clock, and does what Redis and MongoDB, which have clocks of their own, would have done by then: shortens the
 * lifetimes of keys, and removes what is over.
 */
@Injectable()
export class TimeTravel {
  /** Journeys begin one after the other, or two at once would both shorten a lifetime by what the first had shortened it. */
  private latest: Promise<void> = Promise.resolve();

  constructor(
    readonly clock: MovableClock,
    @Inject(REDIS) private readonly redis: RedisConnection | null,
    @InjectConnection() private readonly connection: Connection,
  ) {}

  /** @param destination yields the clock's new offset from the real time, in ms, from its present one; what it throws is passed on */
  to(destination: (presentMs: number) => number): Promise<void> {
    const journey = this.latest.then(() => this.travel(destination(this.clock.offsetMs)));
    this.latest = journey.catch(() => undefined);
    return journey;
  }

  private async travel(offsetMs: number): Promise<void> {
    const forwardMs = offsetMs - this.clock.offsetMs;
    this.clock.offsetMs = offsetMs;
    if (forwardMs <= 0) return;
    await this.purge();
    if (!this.redis) return;
    // While Redis is down, limits are kept in this process, and follow the clock.
    for (const family of [THROTTLING_KEYS, ATTEMPT_KEYS])
      await this.redis.age(family, forwardMs).catch(() => undefined);
  }

  /** As the TTL indexes say. Mails in the inbox stay, since a suite may read them later. */
  private async purge(): Promise<void> {
    for (const [name, model] of Object.entries(this.connection.models)) {
      for (const [fields, { expireAfterSeconds, partialFilterExpression }] of model.schema.indexes()) {
        const [field] = Object.keys(fields);
        if (name === InboxMail.name || !field || expireAfterSeconds === undefined) continue;
        const deadline = new Date(this.clock.nowMs() - Number(expireAfterSeconds) * 1000);
        await model.deleteMany({ ...partialFilterExpression, [field]: { $lte: deadline } });
      }
    }
  }
}
