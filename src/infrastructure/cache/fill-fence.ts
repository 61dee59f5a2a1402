/**
 * Keeps a slow reader from caching a value that was invalidated while it read the storage. A reader takes the fence's mark
 * before it reads, and each invalidation moves the mark; the reader's value is cached only if the mark is still the same.
 */
export abstract class FillFence {
  /** The mark to remember before the storage is read. */
  abstract mark(key: string): Promise<string>;

  /** Invalidates every mark taken so far. */
  abstract move(key: string): Promise<void>;

  /** Stores the value for `ttlMs` if the mark still holds; comparing and storing are one atomic step. */
  abstract fillIfUnmoved(key: string, mark: string, value: unknown, ttlMs: number): Promise<void>;

  /** Removes every value whose key begins with the prefix. */
  abstract removeAll(keyPrefix: string): Promise<void>;
}

/** Marks older than this are forgotten: no read of the storage takes longer (its own limit is 5 s). */
export const FENCE_TTL_MS = 60_000;
