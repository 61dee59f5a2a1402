/**
 * Keeps a slow reader from putting back what was invalidated while it read the storage. A reader takes the fence's
 * mark before it reads; an invalidation moves the mark; the reader's value is kept only if the mark is still the same.
 */
export abstract class FillFence {
  /** The mark to remember before the storage is read. */
  abstract mark(key: string): Promise<string>;

  /** Makes every mark taken so far worthless. */
  abstract move(key: string): Promise<void>;

  /** Stores the value for `ttlMs` if the mark still holds; comparing and storing are one atomic step. */
  abstract fillIfUnmoved(key: string, mark: string, value: unknown, ttlMs: number): Promise<void>;

  /** Removes every value whose key begins so. */
  abstract removeAll(keyPrefix: string): Promise<void>;
}

/** No read of the storage takes longer (its own limit is 5 s), so an older mark need not be remembered. */
export const FENCE_TTL_MS = 60_000;
