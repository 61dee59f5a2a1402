import { weaknessOf } from './secret-strength.js';

/** The environment variables that are set, unparsed. */
export type GivenSettings = Record<string, string>;

const SECRETS = ['JWT_SECRET', 'JWT_REFRESH_SECRET', 'JWT_SECRET_PREVIOUS', 'JWT_REFRESH_SECRET_PREVIOUS'] as const;
const REQUIRED_SECRETS: readonly string[] = SECRETS.slice(0, 2);
/** Of which development has a default that no mail server takes, and no reader could open. */
const OF_EVERY_MAIL = ['SMTP_FROM', 'FRONTEND_URL'] as const;
const STORES = ['MONGODB_URI', 'REDIS_URL'] as const;

/** What production refuses, although development accepts it. */
export function productionProblems(given: GivenSettings): string[] {
  if (given.NODE_ENV !== 'production') return [];
  const problems = secretProblems(given);
  for (const name of STORES) {
    if (given[name] !== undefined || given.ALLOW_EMBEDDED === 'true') continue;
    problems.push(`${name}: is required in production (ALLOW_EMBEDDED=true does without, for one process only)`);
  }
  for (const name of OF_EVERY_MAIL) {
    if (given.SMTP_HOST === undefined || given[name] !== undefined) continue;
    problems.push(`${name}: is required where mails are sent`);
  }
  return problems;
}

/** With equal secrets one kind of token would pass for the other, or a rotation would change nothing. */
function secretProblems(given: GivenSettings): string[] {
  return SECRETS.flatMap((name, index) => {
    const secret = given[name];
    if (secret === undefined) return REQUIRED_SECRETS.includes(name) ? [`${name}: is required in production`] : [];
    const weakness = weaknessOf(secret);
    const twin = SECRETS.slice(0, index).find((other) => given[other] === secret);
    return [...(weakness ? [`${name}: ${weakness}`] : []), ...(twin ? [`${name}: must differ from ${twin}`] : [])];
  });
}
