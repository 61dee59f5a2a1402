import { hasShape, isText, isTextOrNull, type ShapeOf } from './cached-shape.js';

/**
 * What a profile shows beside the authentication record. It is cached under a key of its own, because the
 * specification names every field of `user:auth:{id}`.
 */
export interface AccountDates {
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

export function accountDatesKey(userId: string): string {
  return `user:dates:${userId}`;
}

/** Of every field: an entry of an earlier release, which lacks a new one, must be a miss. */
const SHAPE: ShapeOf<AccountDates> = { created_at: isText, updated_at: isText, deleted_at: isTextOrNull };

/** Reads dates from the cache; anything of another shape is a miss. */
export function readAccountDates(value: unknown): AccountDates | null {
  return hasShape(value, SHAPE) ? value : null;
}
