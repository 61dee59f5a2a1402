import { Inject, Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { withDeadline } from '../../common/clock/index.js';
import { REDIS, type RedisConnection } from '../redis/index.js';
import { ForwardingCheck } from './forwarding-check.js';
import type { ReadinessDto } from './health.dto.js';

const DATABASE_DEADLINE_MS = 2_000;

/** Tells which dependencies answer, and so whether the service can take traffic. */
@Injectable()
export class Readiness {
  private checking: Promise<ReadinessDto> | null = null;

  constructor(
    @InjectConnection() private readonly connection: Connection,
    @Inject(REDIS) private readonly redis: RedisConnection | null,
    private readonly forwarding: ForwardingCheck,
  ) {}

  /** Simultaneous calls share one check, since anybody may ask at any rate. */
  check(): Promise<ReadinessDto> {
    this.checking ??= this.checkAll().finally(() => (this.checking = null));
    return this.checking;
  }

  private async checkAll(): Promise<ReadinessDto> {
    const [hasDatabase, hasRedis] = await Promise.all([this.pingDatabase(), this.redis?.ping()]);
    return {
      status: !hasDatabase ? 'down' : hasRedis === false ? 'degraded' : 'ready',
      dependencies: {
        database: hasDatabase ? 'up' : 'down',
        redis: hasRedis === undefined ? 'not_configured' : hasRedis ? 'up' : 'down',
      },
      warnings: this.forwarding.fault ? [this.forwarding.fault] : [],
    };
  }

  /** @returns whether the database answers in time */
  pingDatabase(): Promise<boolean> {
    const ping = (async () => Boolean(await this.connection.db?.admin().ping()))();
    return withDeadline(ping, DATABASE_DEADLINE_MS).catch(() => false);
  }
}
