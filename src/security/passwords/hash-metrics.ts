import type { Metrics } from '../../infrastructure/observability/index.js';

const SECONDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5];

/** Metrics of password hashing, the most expensive work that an anonymous caller can cause. */
export class HashMetrics {
  readonly refused;
  readonly duration;

  constructor(metrics: Metrics, queue: () => { running: number; waiting: number }) {
    metrics.gauge('password_hashes_running', 'bcrypt hashes being computed', () => queue().running);
    metrics.gauge('password_hashes_waiting', 'bcrypt hashes waiting for their turn', () => queue().waiting);
    this.refused = metrics.counter('password_hashes_refused_total', 'Requests answered 503 because too many waited');
    this.duration = metrics.histogram('password_hash_duration_seconds', 'One bcrypt hash, without its wait', SECONDS);
  }
}
