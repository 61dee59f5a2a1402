import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { Metrics } from '../../infrastructure/observability/index.js';

const REFUSALS = [
  'invalid_credentials',
  'email_not_verified',
  'password_reset_required',
  'too_many_login_attempts',
  'service_unavailable',
] as const;

/** Counts logins by outcome. Requests refused by the limiter or validation are not counted. */
@Injectable()
export class LoginMetrics {
  private readonly outcomes;

  constructor(metrics: Metrics) {
    this.outcomes = metrics.counters('logins_total', 'Logins, by how they ended', 'outcome', [
      'success',
      ...REFUSALS,
      'error',
    ] as const);
  }

  async count<T>(login: Promise<T>): Promise<T> {
    try {
      const answer = await login;
      this.outcomes.success.inc();
      return answer;
    } catch (error) {
      const refusal = error instanceof ApiError && REFUSALS.find((code) => code === error.code);
      this.outcomes[refusal || 'error'].inc();
      throw error;
    }
  }
}
