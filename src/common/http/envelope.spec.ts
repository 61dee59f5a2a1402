import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors/index.js';
import { envelopeKindOf, errorBody, successBody } from './envelope.js';

describe('The envelope', () => {
  it.each([
    ['/auth/login', 'auth'],
    ['/auth', 'auth'],
    ['/auth?x', 'auth'],
    ['/Auth/login', 'auth'],
    ['/authority', 'resource'],
    ['/api/auth/x', 'resource'],
    ['/', 'resource'],
  ])('of %s is that of %s', (url, kind) => {
    expect(envelopeKindOf(url)).toBe(kind);
  });

  it('has data only where there is some, on /auth', () => {
    expect(successBody('auth', 200, 'Done', undefined)).toEqual({
      status_code: 200,
      status: 'SUCCESS',
      message: 'Done',
    });
    expect(successBody('resource', 200, 'Done', undefined)).toEqual({ error: false, message: 'Done', data: null });
  });

  it('shows the code and nothing of the cause', () => {
    const error = new ApiError('internal_error', { cause: new Error('secret') });
    expect(JSON.stringify([errorBody('auth', error), errorBody('resource', error)])).not.toContain('secret');
    expect(errorBody('resource', ApiError.invalidField('page', 'page must be 1 or more'))).toEqual({
      error: true,
      code: 'validation_failed',
      message: 'Validation failed',
      data: null,
      errors: [{ field: 'page', message: 'page must be 1 or more' }],
    });
  });
});
