import { Inject, Injectable } from '@nestjs/common';
import { REDIS, type RedisConnection } from '../../redis/index.js';
import { ForwardingCheck } from '../forwarding-check.js';
import { Readiness } from '../readiness.js';
import { Metrics } from './metrics.js';

/** The states that readiness reports, as metrics. */
@Injectable()
export class DependencyMetrics {
  constructor(
    metrics: Metrics,
    readiness: Readiness,
    forwarding: ForwardingCheck,
    @Inject(REDIS) redis: RedisConnection | null,
  ) {
    metrics.gauge('database_up', '1: the database answers', async () => Number(await readiness.pingDatabase()), 'min');
    metrics.gauge(
      'redis_up',
      '1: Redis answers; 0: storage and this process stand in for it; absent: not set',
      async () => (redis ? Number(await redis.ping()) : null),
      'min',
    );
    metrics.total('redis_fallbacks_total', 'Commands that Redis did not carry out', () => redis?.failures ?? 0);
    metrics.gauge(
      'untrusted_proxy_suspected',
      '1: all callers seem to share the address of one proxy',
      () => Number(forwarding.fault === 'untrusted_proxy'),
      'max',
    );
    metrics.gauge(
      'proxy_hides_clients_suspected',
      '1: all callers seem to share the address of a trusted proxy, which does not send theirs',
      () => Number(forwarding.fault === 'proxy_hides_clients'),
      'max',
    );
  }
}
