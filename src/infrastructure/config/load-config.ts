import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { domainToASCII } from 'node:url';
import { ConfigError } from './config-error.js';
import type { Config } from './config.js';
import { type DevelopmentSecrets, developmentSecrets } from './development-secrets.js';
import { fileProblems } from './file-rules.js';
import { type GivenSettings, productionProblems } from './production-rules.js';
import { type Settings, settingsSchema } from './settings.js';

/** bcrypt cost of the specification; also what ASVS 5.0 11.4.2 (appendix C) asks at least. */
const HASH_COST = 10;

const REQUEST_TIMEOUT_MS = 10_000;

/** UTF-16 has zero bytes, and its mark is no UTF-8. */
const UNMARKED_UTF8 = /^(?!\uFEFF)[^\0\uFFFD]*$/;

/**
 * `process.env` over the file `.env` of the working directory, where there is one.
 * @throws ConfigError if that cannot be read
 */
export function environmentVariables(): NodeJS.ProcessEnv {
  if (!existsSync('.env')) return process.env;
  try {
    // Such a mark would become part of the first name, and a `NODE_ENV=production` without effect.
    if (!UNMARKED_UTF8.test(readFileSync('.env', 'utf8')))
      throw new ConfigError(['.env: must be UTF-8 without a byte order mark']);
    process.loadEnvFile('.env');
  } catch (error) {
    throw error instanceof ConfigError ? error : new ConfigError(['.env: is no file that can be read']);
  }
  return process.env;
}

/**
 * Makes the configuration of a process.
 * @param options.isForCommand for a command of an operator, which changes what there is and makes nothing anew
 * @throws ConfigError with all faults, so that they can be corrected in one go
 */
export function loadConfig(environment: NodeJS.ProcessEnv, { isForCommand = false } = {}): Config {
  const given: GivenSettings = {};
  for (const [name, value] of Object.entries(environment)) if (value) given[name] = value;
  const parsed = settingsSchema.safeParse(given);
  const problems = [
    ...(parsed.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? []),
    ...productionProblems(given),
    ...fileProblems(given),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError([...new Set(problems)]);

  const settings = parsed.data;
  const directory = resolve(settings.DATA_DIR);
  const development = settings.NODE_ENV === 'production' ? null : developmentSecrets(directory, isForCommand);
  return deepFreeze(toConfig(settings, development, isForCommand));
}

function toConfig(settings: Settings, development: DevelopmentSecrets | null, isForCommand: boolean): Config {
  const isProduction = settings.NODE_ENV === 'production';
  const frontendUrl = settings.FRONTEND_URL ?? 'http://localhost:5173';
  const developmentApiKey = settings.API_KEYS.length === 0 ? (development?.apiKey ?? null) : null;
  return {
    environment: settings.NODE_ENV,
    isProduction,
    logLevel: settings.LOG_LEVEL,
    hasMetrics: settings.METRICS === 'on',
    workers: settings.WORKERS,
    dataDirectory: resolve(settings.DATA_DIR),
    http: {
      host: settings.HOST ?? (isProduction ? '0.0.0.0' : '127.0.0.1'),
      port: settings.PORT,
      trustedProxies: settings.TRUST_PROXY,
      corsOrigins: settings.CORS_ORIGINS.length > 0 ? settings.CORS_ORIGINS : [new URL(frontendUrl).origin],
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
    },
    mongodb: { uri: settings.MONGODB_URI ?? null, isForCommand },
    redis: { url: settings.REDIS_URL ?? null, keyPrefix: settings.REDIS_KEY_PREFIX, isTrustedAtStart: false },
    tokens: {
      accessSecret: settings.JWT_SECRET ?? development?.jwtSecret ?? '',
      refreshSecret: settings.JWT_REFRESH_SECRET ?? development?.jwtRefreshSecret ?? '',
      previousAccessSecret: settings.JWT_SECRET_PREVIOUS ?? null,
      previousRefreshSecret: settings.JWT_REFRESH_SECRET_PREVIOUS ?? null,
      accessTtlMs: settings.JWT_EXPIRES,
      refreshTtlMs: settings.JWT_REFRESH_EXPIRES,
      refreshGraceMs: settings.REFRESH_GRACE,
      sessionMaxAgeMs: settings.SESSION_MAX_AGE,
    },
    oneTimeSecrets: {
      otpTtlMs: settings.OTP_EXPIRES,
      resetTtlMs: settings.RESET_EXPIRES,
      reportTtlMs: settings.REPORT_EXPIRES,
    },
    limits: {
      auth: { quota: settings.AUTH_RATE_LIMIT, windowMs: settings.AUTH_RATE_WINDOW },
      general: { quota: settings.RATE_LIMIT, windowMs: settings.RATE_WINDOW },
    },
    apiKeys: developmentApiKey
      ? [{ name: 'development', digest: hash('sha256', developmentApiKey, 'buffer') }]
      : settings.API_KEYS,
    passwords: {
      hashCost: HASH_COST,
      hashConcurrency: settings.HASH_CONCURRENCY,
      blocklistFile: settings.PASSWORD_BLOCKLIST === 'off' ? null : resolve(settings.PASSWORD_BLOCKLIST),
    },
    mail: {
      smtp: settings.SMTP_HOST
        ? {
            host: settings.SMTP_HOST,
            port: settings.SMTP_PORT,
            user: settings.SMTP_USER ?? null,
            password: settings.SMTP_PASS ?? null,
          }
        : null,
      from: settings.SMTP_FROM.text,
      fromHost: domainToASCII(settings.SMTP_FROM.host) || settings.SMTP_FROM.host,
      serviceName: settings.SMTP_FROM.name || settings.SMTP_FROM.host,
      frontendUrl,
      publicUrl: settings.PUBLIC_URL ?? (isProduction ? null : `http://127.0.0.1:${settings.PORT}`),
    },
    hasLocations: settings.GEOIP_DB !== 'off',
    geoipFile: settings.GEOIP_DB && settings.GEOIP_DB !== 'off' ? resolve(settings.GEOIP_DB) : null,
    developmentApiKey,
  };
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Buffer.isBuffer(part)) deepFreeze(part);
  }
  return Object.freeze(value);
}
