import type { LoggerService } from '@nestjs/common';
import { type Logger, type LoggerOptions, pino } from 'pino';
import { standardOutput } from './standard-output.js';
import { traceOfLines } from './tracing.js';

/** Fields that are never logged, down to the third level of a logged object. Bodies and headers are not logged at all. */
const SECRET_FIELDS = [
  'password',
  'password_confirmation',
  'otp',
  'token',
  'refresh_token',
  'authorization',
  'api_key',
  'secret',
];

/** Options that every logger shares. */
export const LINES: LoggerOptions = {
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  ...traceOfLines,
};

/** The process's logger: JSON lines on standard output, for Nest and for us. */
export function createLogger(level: string): Logger {
  return pino({ ...LINES, level, redact: SECRET_FIELDS }, standardOutput());
}

/** Redaction below an object's own fields makes a line twenty times as expensive, and each refused request writes a line. */
const lookingDeeper = { redact: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]) };

const hasDepth = (fields: object): boolean =>
  Object.values(fields).some((value) => typeof value === 'object' && value !== null && !(value instanceof Date));

/** Contexts of Nest's own start-up messages, a line for each module and route: logged at `debug`. */
const NEST_STARTUP = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Contexts of Nest's start-up failures, which main tells in one line. */
const START_FAILURES = new Set(['NestApplication', 'ExceptionHandler']);

/** Nest's logging calls on pino. `logger.error({ request_id, err }, 'text')` keeps its object as fields. */
export class AppLogger implements LoggerService {
  private readonly deep: Logger;

  constructor(private readonly flat: Logger) {
    this.deep = flat.child({}, lookingDeeper);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write(NEST_STARTUP.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write(START_FAILURES.has(String(rest.at(-1))) ? 'debug' : 'error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest passes the context last; `error` may have a stack before it. */
  private write(
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    message: unknown,
    rest: unknown[],
  ): void {
    const context = typeof rest.at(-1) === 'string' ? (rest.at(-1) as string) : undefined;
    const others = context === undefined ? rest : rest.slice(0, -1);
    const text = others.find((part) => typeof part === 'string');
    if (message instanceof Error) this.deep[level]({ context, err: message }, text ?? message.message);
    else if (typeof message === 'object' && message !== null) {
      const logger = hasDepth(message) ? this.deep : this.flat;
      logger[level]({ context, ...message }, text);
    } else this.flat[level]({ context, ...(level === 'error' && text ? { stack: text } : {}) }, '%s', String(message));
  }
}
