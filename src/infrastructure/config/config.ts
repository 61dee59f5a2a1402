import type { RateLimit } from '../../common/access/index.js';

type Environment = 'development' | 'test' | 'production';

interface ApiKeyDigest {
  /** Appears in logs; the key itself never does. */
  name: string;
  /** SHA-256 of the key, 32 bytes. */
  digest: Buffer;
}

interface SmtpSettings {
  host: string;
  port: number;
  user: string | null;
  password: string | null;
}

/** All settings, validated and frozen; made once, by `loadConfig`. Durations are in milliseconds. */
export abstract class Config {
  abstract readonly environment: Environment;
  abstract readonly isProduction: boolean;
  abstract readonly logLevel: string;
  /** Whether `/metrics` is served. */
  abstract readonly hasMetrics: boolean;
  /** Processes that `npm run start:cluster` keeps. */
  abstract readonly workers: number;
  /** Where the embedded store and the development secrets live. */
  abstract readonly dataDirectory: string;

  abstract readonly http: {
    readonly host: string;
    readonly port: number;
    /** Addresses and CIDRs of the proxies whose `X-Forwarded-For` is trusted; empty for none. */
    readonly trustedProxies: readonly string[];
    readonly corsOrigins: readonly string[];
    /** Time within which a request must arrive in full; shorter in tests only. */
    readonly requestTimeoutMs: number;
  };
  abstract readonly mongodb: {
    /** null: the embedded store in `dataDirectory`. */
    readonly uri: string | null;
    /**
     * Whether a command-line tool asks: unlike a service it shares an embedded store with the process that has it open, and
     * fails where a server does not answer instead of waiting for it.
     */
    readonly isForCommand: boolean;
  };
  abstract readonly redis: {
    /** null: cache and limiter in this process. */
    readonly url: string | null;
    /** Put before every key, for a Redis that is shared; empty by default. */
    readonly keyPrefix: string;
    /** Whether cached records are used right after the start. Not in operation: others may have invalidations to replay. In tests. */
    readonly isTrustedAtStart: boolean;
  };
  abstract readonly tokens: {
    readonly accessSecret: string;
    readonly refreshSecret: string;
    /** While secrets are rotated: tokens signed with the previous secret stay valid until they expire. Else null. */
    readonly previousAccessSecret: string | null;
    readonly previousRefreshSecret: string | null;
    readonly accessTtlMs: number;
    readonly refreshTtlMs: number;
    /** How long after a rotation the replaced refresh token still yields its successor. */
    readonly refreshGraceMs: number;
    /** Lifetime of a session, however often it is refreshed. */
    readonly sessionMaxAgeMs: number;
  };
  abstract readonly oneTimeSecrets: {
    readonly otpTtlMs: number;
    readonly resetTtlMs: number;
    /** How long the link of a mail about a new device can be used. */
    readonly reportTtlMs: number;
  };
  abstract readonly limits: {
    /** Per endpoint of `/auth` and address. */
    readonly auth: RateLimit;
    /** Per address over all other limited routes. */
    readonly general: RateLimit;
  };
  abstract readonly apiKeys: readonly ApiKeyDigest[];
  abstract readonly passwords: {
    /** bcrypt cost; 10 by the specification, lower only in tests. */
    readonly hashCost: number;
    /** Hashes computed at the same time. */
    readonly hashConcurrency: number;
    /** File with one refused password per line; null: no check. */
    readonly blocklistFile: string | null;
  };
  abstract readonly mail: {
    /** null: mails go to the development inbox, or wait (production). */
    readonly smtp: SmtpSettings | null;
    /** As the header has it, with or without a name. */
    readonly from: string;
    /** The host of the sender's address, in ASCII. */
    readonly fromHost: string;
    /** What mails call the service: the sender's name, or without one its host. */
    readonly serviceName: string;
    /** Base of the links in mails, without a trailing slash. */
    readonly frontendUrl: string;
    /** Where people reach this service itself, without a trailing slash; null: not known, and no mail links to it. */
    readonly publicUrl: string | null;
  };
  /** Whether logins are recorded with their place. */
  abstract readonly hasLocations: boolean;
  /** An operator's city database in MaxMind's layout; null: the bundled one. */
  abstract readonly geoipFile: string | null;
  /** Made on the first start in development, and printed; null in production. */
  abstract readonly developmentApiKey: string | null;
}
