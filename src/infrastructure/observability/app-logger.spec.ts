import { describe, expect, it } from 'vitest';
import { AppLogger } from './app-logger.js';

/** @returns the lines that are written at `info` */
const linesOf = (work: (logger: AppLogger) => void) => {
  const lines: Record<string, unknown>[] = [];
  const output = { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) };
  work(new AppLogger('info', output));
  return lines;
};

describe('The log', () => {
  it.each([
    'password',
    'password_confirmation',
    'otp',
    'token',
    'refresh_token',
    'authorization',
    'api_key',
    'secret',
    'current_password',
    'x-api-key',
    'cookie',
    'passwordHash',
    'password_hash',
    'passwordConfirmation',
    'currentPassword',
    'refreshToken',
    'accessToken',
    'access_token',
    'apiKey',
    'new_password',
    'newPassword',
    'id_token',
    'idToken',
    'client_secret',
    'clientSecret',
    'Authorization',
    'set-cookie',
    'X-Api-Key',
    'Cookie',
    'Set-Cookie',
  ])('hides every %s that a logged object has, and nothing beside it', (field) => {
    const secret = { [field]: 'canary', beside: 1 };
    const lines = linesOf((logger) => {
      logger.warn(secret, 'text', 'Room');
      logger.warn({ a: secret, at: new Date(0) }, 'text', 'Room');
      logger.warn({ ...secret, b: { c: secret }, list: [secret] }, 'text', 'Room');
    });
    expect(JSON.stringify(lines)).not.toContain('canary');
    expect(lines).toMatchObject([
      { beside: 1 },
      { a: { beside: 1 }, at: '1970-01-01T00:00:00.000Z' },
      { beside: 1, b: { c: { beside: 1 } }, list: [{ beside: 1 }] },
    ]);
  });

  it('tells of an error what it is, with its causes, and nothing that it carries', () => {
    const carried = { config: { data: 'canary', headers: { Authorization: 'canary' } }, writeErrors: ['canary'] };
    const cause = Object.assign(new Error('cause'), carried);
    const error = Object.assign(new TypeError('text', { cause }), { ...carried, code: 'EPIPE', status: 404 });
    const several = Object.assign(new AggregateError([error], 'several'), carried);
    const lines = linesOf((logger) => {
      logger.error(error, 'Room');
      logger.error({ err: several }, 'Room');
      logger.warn('text', { of: error }, 'Room');
      logger.warn('text', [error], 'Room');
      logger.warn({ of: error }, 'text', 'Room');
      logger.warn('text', [{ status: 'rejected', reason: error }], 'Room');
      logger.warn(
        'text',
        new (class Box {
          of = error;
        })(),
        'Room',
      );
    });
    expect(JSON.stringify(lines)).not.toContain('canary');
    const stack = expect.stringMatching(/app-logger.spec(.|\n)+caused by: Error: cause\n +at/);
    const told = { type: 'TypeError', message: 'text: cause', stack, code: 'EPIPE', status: 404 };
    expect(lines).toMatchObject([
      { err: told },
      { err: { type: 'AggregateError', errors: [told] } },
      { details: { of: told } },
      { details: [told] },
      { of: told },
      { details: [{ reason: told }] },
      { details: { of: told } },
    ]);
  });

  it('has a line of what contains itself, and of what is no JSON', () => {
    const circle: Record<string, unknown> = { count: 1n, at: new Date(0), set: new Set([1]) };
    circle['circle'] = circle;
    const lines = linesOf((logger) => {
      logger.warn('text', circle, 'Room');
      logger.error({ circle }, 'text', 'Room');
    });
    const told = { count: 1, at: '1970-01-01T00:00:00.000Z' };
    expect(lines).toMatchObject([{ details: told }, { circle: told }]);
    for (const line of lines) expect(JSON.stringify(line)).toContain('[Circular]');
  });

  it('keeps what Nest’s calls are given beside their text', () => {
    const lines = linesOf((logger) => {
      logger.error('sync failed', new Error('refused'), 'Room');
      logger.warn('late', { ms: 900, key: { token: 'canary' } }, 'Room');
      logger.log('first', 'second', 'Room');
      logger.fatal('fatal', 'Error: cause\n    at line 1', 'Room');
      logger.log({ ms: 1 }, 'Room');
      logger.warn('x', { level: 'fatal', context: 'Other' }, ['a'], 'Room');
      logger.error('two', new Error('first'), new Error('second'), 'Room');
      logger.error('no context', 'Error: cause\n    at line 1');
      logger.log(undefined, 'Room');
    });
    expect(lines).toMatchObject([
      { err: { message: 'refused' }, msg: 'sync failed' },
      { details: { ms: 900 }, msg: 'late' },
      { msg: 'first second' },
      { stack: 'Error: cause\n    at line 1', msg: 'fatal' },
      { ms: 1 },
      { level: 'warn', context: 'Room', details: [{ level: 'fatal', context: 'Other' }, ['a']] },
      { err: { message: 'first' }, msg: 'two second' },
      { stack: 'Error: cause\n    at line 1', msg: 'no context' },
      { context: 'Room' },
    ]);
    expect(JSON.stringify(lines)).not.toContain('canary');
  });

  it('has level, moment, room and text of each line, and the fields of its object', () => {
    const lines = linesOf((logger) => {
      logger.log('100 %s', 'Room');
      logger.error({ request_id: 'r', err: new Error('cause') }, 'text', 'Room');
      logger.error(new Error('cause'), 'Room');
      logger.error('text', 'at line 1', 'Room');
    });
    const common = { time: expect.stringMatching(/Z$/), context: 'Room' };
    expect(lines).toEqual([
      { ...common, level: 'info', msg: '100 %s' },
      {
        ...common,
        level: 'error',
        request_id: 'r',
        err: expect.objectContaining({ message: 'cause', stack: expect.any(String) }),
        msg: 'text',
      },
      { ...common, level: 'error', err: expect.objectContaining({ message: 'cause' }), msg: 'cause' },
      { ...common, level: 'error', stack: 'at line 1', msg: 'text' },
    ]);
  });

  it('is silent about what the framework tells of its own start, and about failures that are told elsewhere', () => {
    const lines = linesOf((logger) => {
      logger.log('AppModule dependencies initialized', 'InstanceLoader');
      logger.error('boom', 'ExceptionHandler');
      logger.warn('heard', 'NestApplication');
    });
    expect(lines.map(({ msg }) => msg)).toEqual(['heard']);
  });
});
