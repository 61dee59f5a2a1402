import { formatTimeUntil } from '../mail-wording.js';

/**
 * Adds `expires_in`, what is left of what expires at `expires_at`. A link that has expired is left out: a notice is sent for longer
 * than its link may be good.
 */
export function withTimeLeft<C extends object>(context: C, nowMs: number): C & { expires_in?: string } {
  if (!('expires_at' in context)) return context;
  // A text, once it was stored as JSON.
  const expiresAt = new Date(context.expires_at as Date | string);
  const isOver = expiresAt.getTime() <= nowMs;
  return {
    ...context,
    expires_in: formatTimeUntil(expiresAt, nowMs),
    ...(isOver && 'link' in context ? { link: null } : {}),
  };
}
