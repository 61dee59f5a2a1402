import { Inject, Injectable } from '@nestjs/common';
import { REDIS, type RedisConnection } from '../../infrastructure/redis/index.js';
import { MailDrill } from '../../mail/index.js';
import type { RedisState, SmtpState } from './faults.dto.js';

/** Makes the service's dependencies fail on purpose. Implements the port MailDrill of `mail`. */
@Injectable()
export class Faults extends MailDrill {
  smtp: SmtpState = 'up';

  constructor(@Inject(REDIS) private readonly connection: RedisConnection | null) {
    super();
  }

  get redis(): RedisState | 'not_configured' {
    if (!this.connection) return 'not_configured';
    return this.connection.isCutOff ? 'down' : 'up';
  }

  set redis(state: RedisState) {
    if (this.connection) this.connection.isCutOff = state === 'down';
  }

  clear(): void {
    this.smtp = 'up';
    this.redis = 'up';
  }

  override assertDelivers(): void {
    // No error of a connection, after which one mail would try for all: each has its own pause, as tests expect it.
    if (this.smtp === 'down') throw new Error('The mail server does not answer (a fault of the test kit)');
    if (this.smtp === 'refusing') {
      const response = '550 Mailbox unavailable (a fault of the test kit)';
      throw Object.assign(new Error(response), { responseCode: 550, command: 'RCPT TO', response });
    }
  }
}
