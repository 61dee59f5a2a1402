import { Inject, Injectable } from '@nestjs/common';
import { REDIS, type RedisConnection } from '../../infrastructure/redis/index.js';
import { ATTEMPT_KEYS, THROTTLING_KEYS } from '../../security/index.js';
import { MovableClock } from './movable-clock.js';

/** Moves the service's clock, and shortens the lifetimes of keys in Redis, which has a clock of its own. */
@Injectable()
export class TimeTravel {
  /** Journeys begin one after the other, or two at once would both shorten a lifetime by what the first had shortened it. */
  private latest: Promise<void> = Promise.resolve();

  constructor(
    readonly clock: MovableClock,
    @Inject(REDIS) private readonly redis: RedisConnection | null,
  ) {}

  /** @param destination yields the clock's new offset from the real time, in ms, from its present one; what it throws is passed on */
  to(destination: (presentMs: number) => number): Promise<void> {
    const journey = this.latest.then(() => this.travel(destination(this.clock.offsetMs)));
    this.latest = journey.catch(() => undefined);
    return journey;
  }

  private async travel(offsetMs: number): Promise<void> {
    const forwardMs = offsetMs - this.clock.offsetMs;
    this.clock.setOffset(offsetMs);
    if (!this.redis || forwardMs <= 0) return;
    // While Redis is down, limits are kept in this process, and follow the clock.
    for (const family of [THROTTLING_KEYS, ATTEMPT_KEYS])
      await this.redis.age(family, forwardMs).catch(() => undefined);
  }
}
