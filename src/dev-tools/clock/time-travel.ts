import { Inject, Injectable } from '@nestjs/common';
import { REDIS, type RedisConnection } from '../../infrastructure/redis/index.js';
import { ATTEMPT_KEYS, THROTTLING_KEYS } from '../../security/index.js';
import { MovableClock } from './movable-clock.js';

/** Moves the service's clock, and with it what Redis counts by a clock of its own. */
@Injectable()
export class TimeTravel {
  constructor(
    readonly clock: MovableClock,
    @Inject(REDIS) private readonly redis: RedisConnection | null,
  ) {}

  /** @param offsetMs from the real time */
  async to(offsetMs: number): Promise<void> {
    const forwardMs = offsetMs - this.clock.offsetMs;
    this.clock.setOffset(offsetMs);
    if (!this.redis || forwardMs <= 0) return;
    // While Redis is away, limits are held in this process, by the clock.
    for (const family of [THROTTLING_KEYS, ATTEMPT_KEYS])
      await this.redis.age(family, forwardMs).catch(() => undefined);
  }
}
