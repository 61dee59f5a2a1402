import { availableParallelism } from 'node:os';
import { z } from 'zod';
import {
  apiKeyDigests,
  duration,
  flag,
  hostName,
  httpUrl,
  mongodbUri,
  origins,
  proxyList,
  redisUrl,
  sender,
  wholeNumber,
} from './setting-types.js';

/** Tokens expire at whole seconds: with a shorter lifetime they could be expired when they are issued. */
const SHORTEST_TOKEN_LIFE = '1s';
const MOST_THREADS = 64;
/** A container may see the cores of a large host. */
const THREADS = Math.min(availableParallelism(), MOST_THREADS);

/** Every environment variable that the service reads, by name. `.env.example` lists the same; a spec compares them. */
export const settingsSchema = z
  .object({
    NODE_ENV: z
      .enum(['development', 'test', 'production'], { error: 'must be development, test or production' })
      .default('development'),
    ALLOW_EMBEDDED: flag,
    HOST: z.string().optional(),
    PORT: wholeNumber(3000, 0, 65_535),
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
        error: 'must be fatal, error, warn, info, debug, trace or silent',
      })
      .default('info'),
    METRICS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
    WORKERS: wholeNumber(THREADS, 1, MOST_THREADS),
    DATA_DIR: z.string().default('./data'),
    MONGODB_URI: mongodbUri.optional(),
    REDIS_URL: redisUrl.optional(),
    REDIS_KEY_PREFIX: z
      .string()
      .regex(/^[A-Za-z0-9:_-]{0,64}$/, 'may have letters, digits, colon, underscore and hyphen')
      .default(''),
    JWT_SECRET: z.string().optional(),
    JWT_REFRESH_SECRET: z.string().optional(),
    JWT_SECRET_PREVIOUS: z.string().optional(),
    JWT_REFRESH_SECRET_PREVIOUS: z.string().optional(),
    JWT_EXPIRES: duration('1h', { min: SHORTEST_TOKEN_LIFE, max: '24h' }),
    JWT_REFRESH_EXPIRES: duration('7d', { min: SHORTEST_TOKEN_LIFE, max: '90d' }),
    REFRESH_GRACE: duration('10s', { min: '0s', max: '1m' }),
    SESSION_MAX_AGE: duration('30d', { min: SHORTEST_TOKEN_LIFE, max: '90d' }),
    OTP_EXPIRES: duration('10m', { max: '10m' }),
    RESET_EXPIRES: duration('15m', { max: '1d' }),
    REPORT_EXPIRES: duration('7d', { min: SHORTEST_TOKEN_LIFE, max: '30d' }),
    AUTH_RATE_LIMIT: wholeNumber(5, 1, 1_000_000),
    AUTH_RATE_WINDOW: duration('15m', { max: '1d' }),
    RATE_LIMIT: wholeNumber(100, 1, 1_000_000),
    RATE_WINDOW: duration('15m', { max: '1d' }),
    TRUST_PROXY: proxyList,
    CORS_ORIGINS: origins,
    API_KEYS: apiKeyDigests,
    PASSWORD_BLOCKLIST: z.string().default('off'),
    HASH_CONCURRENCY: wholeNumber(THREADS, 1, MOST_THREADS),
    FRONTEND_URL: httpUrl.optional(),
    PUBLIC_URL: httpUrl.optional(),
    SMTP_HOST: hostName.optional(),
    SMTP_PORT: wholeNumber(587, 1, 65_535),
    SMTP_USER: z.string().optional(),
    SMTP_PASS: z.string().optional(),
    SMTP_FROM: sender.prefault('Accounts <no-reply@localhost>'),
    GEOIP_DB: z.string().optional(),
  })
  .superRefine((settings, context) => {
    if ((settings.SMTP_USER === undefined) !== (settings.SMTP_PASS === undefined)) {
      const path = [settings.SMTP_USER === undefined ? 'SMTP_USER' : 'SMTP_PASS'];
      context.addIssue({ code: 'custom', path, message: 'is missing: SMTP_USER and SMTP_PASS go together' });
    }
  });

export type Settings = z.output<typeof settingsSchema>;

export const SETTING_NAMES = Object.keys(settingsSchema.shape);
