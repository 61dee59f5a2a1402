import { existsSync } from 'node:fs';
import { weaknessOf } from './secret-strength.js';

/** The environment variables that are set, as they stand. */
export type GivenSettings = Record<string, string>;

const SECRETS = ['JWT_SECRET', 'JWT_REFRESH_SECRET'] as const;
const STORES = ['MONGODB_URI', 'REDIS_URL'] as const;
const FILES = ['PASSWORD_BLOCKLIST', 'GEOIP_DB'] as const;

/** What may be missing or weak on a development machine, and not in production. */
export function productionProblems(given: GivenSettings): string[] {
  if (given.NODE_ENV !== 'production') return [];
  const problems: string[] = [];
  for (const name of SECRETS) {
    const secret = given[name];
    const weakness = secret === undefined ? 'is required in production' : weaknessOf(secret);
    if (weakness) problems.push(`${name}: ${weakness}`);
  }
  if (given.JWT_SECRET !== undefined && given.JWT_SECRET === given.JWT_REFRESH_SECRET) {
    problems.push('JWT_REFRESH_SECRET: must differ from JWT_SECRET');
  }
  for (const name of STORES) {
    if (given[name] !== undefined || given.ALLOW_EMBEDDED === 'true') continue;
    problems.push(`${name}: is required in production (ALLOW_EMBEDDED=true does without, for one process only)`);
  }
  if (given.SMTP_HOST !== undefined && given.FRONTEND_URL === undefined) {
    problems.push('FRONTEND_URL: is required where mails are sent');
  }
  return problems;
}

export function fileProblems(given: GivenSettings): string[] {
  return FILES.filter((name) => given[name] !== undefined && given[name] !== 'off' && !existsSync(given[name])).map(
    (name) => `${name}: the file does not exist`,
  );
}
