import cluster from 'node:cluster';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { loggedError, withLoggedErrors } from './logged-error.js';
import { standardOutput } from './standard-output.js';
import { traceOfLines } from './tracing.js';

/** Fields that are never logged, down to the third level of a logged object. Bodies and headers are not logged at all. */
const SECRET_FIELDS = [
  'password',
  'password_confirmation',
  'current_password',
  'new_password',
  'password_hash',
  'otp',
  'token',
  'access_token',
  'refresh_token',
  'id_token',
  'api_key',
  'secret',
  'client_secret',
  ...['authorization', 'x-api-key', 'cookie', 'set-cookie'].flatMap((name) => [name, capitalised(name)]),
].flatMap((name) => [...new Set([name, camelCased(name)])]);

/** Paths of these fields in pino's notation, in which a hyphen needs brackets. */
const pathsBelow = (parent: string) => SECRET_FIELDS.map((field) => `${parent}["${field}"]`);

/** Options that every logger shares. */
export const LINES: LoggerOptions = {
  // So that what the primary process says of a process can be found among its lines.
  base: cluster.isWorker ? { pid: process.pid } : undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  serializers: { err: loggedError },
  ...traceOfLines,
};

const hasDepth = (fields: object): boolean =>
  Object.values(fields).some((value) => typeof value === 'object' && value !== null && !(value instanceof Date));

/** Contexts of Nest's own start-up messages, a line for each module and route: logged at `debug`. */
const NEST_STARTUP = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'WebSocketsController',
  'NestApplication',
]);

/** Contexts of Nest's start-up failures, which main tells in one line. */
const START_FAILURES = new Set(['NestApplication', 'ExceptionHandler']);

/**
 * The process's logger, for Nest and for us: Nest's logging calls as JSON lines by pino. An object that comes first becomes fields
 * of the line, an error its `err`, and other objects its `details`: `logger.error({ request_id, err }, 'text')`,
 * `logger.error('text', error)`, `logger.warn('text', { ms: 900 })`.
 */
export class AppLogger implements LoggerService {
  private readonly flat: Logger;
  /** Redaction below an object's own fields makes a line twenty times as expensive, and each refused request writes a line. */
  private readonly deep: Logger;

  constructor(level: string, output: DestinationStream = standardOutput()) {
    this.flat = pino({ ...LINES, level, redact: pathsBelow('') }, output);
    // Not a child of the other: pino's children that redact anew cannot write an object that contains itself.
    this.deep = pino({ ...LINES, level, redact: ['', '*', '*.*'].flatMap(pathsBelow) }, output);
  }

  isLevelEnabled(level: string): boolean {
    return this.flat.isLevelEnabled(level);
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

  /** Nest passes the context last; `error` and `fatal` may have a stack before it. */
  private write(
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    message: unknown,
    rest: unknown[],
  ): void {
    const parts = [...rest];
    const context = typeof parts.at(-1) === 'string' && !isStack(parts.at(-1)) ? parts.pop() : undefined;
    const isFields = typeof message === 'object' && message !== null && !(message instanceof Error);
    const fields: Record<string, unknown> = isFields ? { context, ...message } : { context };
    const texts: string[] = [];
    const details: unknown[] = [];
    for (const part of isFields ? parts : [message, ...parts]) {
      if (part instanceof Error && !fields['err']) fields['err'] = part;
      else if (part instanceof Error) texts.push(part.message);
      else if (typeof part === 'object' && part !== null) details.push(part);
      else if (isStack(part)) fields['stack'] = part;
      else if (part !== undefined) texts.push(String(part));
    }
    if (details.length > 0) fields['details'] = details.length > 1 ? details : details[0];
    const text = texts.length > 0 ? texts.join(' ') : (fields['err'] as Error | undefined)?.message;
    const isDeep = hasDepth(fields);
    const logger = isDeep ? this.deep : this.flat;
    const logged = isDeep ? (withLoggedErrors(fields) as object) : fields;
    if (text === undefined) logger[level](logged);
    else logger[level](logged, '%s', text);
  }
}

function camelCased(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Header names, as some libraries write them. */
function capitalised(name: string): string {
  return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

function isStack(part: unknown): boolean {
  return typeof part === 'string' && /^\s*at /m.test(part);
}
