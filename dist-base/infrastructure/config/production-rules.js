import { existsSync } from 'node:fs';
import { weaknessOf } from './secret-strength.js';
const SECRETS = ['JWT_SECRET', 'JWT_REFRESH_SECRET'];
const STORES = ['MONGODB_URI', 'REDIS_URL'];
const FILES = ['PASSWORD_BLOCKLIST', 'GEOIP_DB'];
/** What may be missing or weak on a development machine, and not in production. */
export function productionProblems(given) {
    if (given.NODE_ENV !== 'production')
        return [];
    const problems = [];
    for (const name of SECRETS) {
        const secret = given[name];
        const weakness = secret === undefined ? 'is required in production' : weaknessOf(secret);
        if (weakness)
            problems.push(`${name}: ${weakness}`);
    }
    if (given.JWT_SECRET !== undefined && given.JWT_SECRET === given.JWT_REFRESH_SECRET) {
        problems.push('JWT_REFRESH_SECRET: must differ from JWT_SECRET');
    }
    for (const name of STORES) {
        if (given[name] !== undefined || given.ALLOW_EMBEDDED === 'true')
            continue;
        problems.push(`${name}: is required in production (ALLOW_EMBEDDED=true does without, for one process only)`);
    }
    if (given.SMTP_HOST !== undefined && given.FRONTEND_URL === undefined) {
        problems.push('FRONTEND_URL: is required where mails are sent');
    }
    return problems;
}
export function fileProblems(given) {
    return FILES.filter((name) => given[name] !== undefined && given[name] !== 'off' && !existsSync(given[name])).map((name) => `${name}: the file does not exist`);
}
//# sourceMappingURL=production-rules.js.map