import { IsIn } from 'class-validator';
import { IsOmittable } from '../../common/validation/index.js';

const SMTP_STATES = ['up', 'down', 'refusing'] as const;
const REDIS_STATES = ['up', 'down'] as const;

/** `down`: no answer, and mails wait for another attempt; `refusing`: each mail is refused permanently. */
export type SmtpState = (typeof SMTP_STATES)[number];
export type RedisState = (typeof REDIS_STATES)[number];

export class SetFaultsDto {
  @IsIn(SMTP_STATES)
  @IsOmittable()
  smtp?: SmtpState;

  @IsIn(REDIS_STATES)
  @IsOmittable()
  redis?: RedisState;
}

export interface FaultsDto {
  smtp: SmtpState;
  redis: RedisState | 'not_configured';
}
