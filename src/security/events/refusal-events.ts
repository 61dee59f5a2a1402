import { Injectable } from '@nestjs/common';
import { type ApiError, type ErrorCode, RefusalListener } from '../../common/errors/index.js';
import { SecurityEvents } from './security-events.js';

/** Refusals that features record themselves, since they know the account. */
const RECORDED_BY_FLOWS = new Set<ErrorCode>([
  'invalid_credentials',
  'email_not_verified',
  'password_reset_required',
  'invalid_otp',
  'invalid_reset_token',
]);

/** Records failed authentication and authorisation of any route. Exceeded limits are recorded where they are counted. */
@Injectable()
export class RefusalEvents extends RefusalListener {
  constructor(private readonly events: SecurityEvents) {
    super();
  }

  override refused({ code, status }: ApiError, route: string): void {
    if (RECORDED_BY_FLOWS.has(code)) return;
    const detail = `${code} ${route}`;
    if (status === 401) this.events.record({ kind: 'authn_fail', outcome: 'failure', detail });
    if (status === 403) this.events.record({ kind: 'authz_fail', outcome: 'failure', detail });
  }
}
