import { ApiError } from '../../common/errors/index.js';
import { duplicateKeyField } from '../../infrastructure/database/index.js';

/** The error for a value that a unique index refused; null for any other error. */
export function takenField(error: unknown): ApiError | null {
  const field = duplicateKeyField(error);
  if (!field) return null;
  return takenNames([field === 'email_key' ? 'email' : 'username']);
}

export function takenNames(names: ('username' | 'email')[]): ApiError {
  return new ApiError('validation_failed', {
    fields: names.map((field) => ({ field, message: `${field} is already taken` })),
  });
}
