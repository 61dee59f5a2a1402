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

/** Reads dates from the cache; anything of another shape is a miss. */
export function readAccountDates(value: unknown): AccountDates | null {
  const dates = value as Partial<AccountDates> | null | undefined;
  const isSound = typeof dates?.created_at === 'string' && typeof dates.updated_at === 'string';
  return isSound ? (dates as AccountDates) : null;
}
