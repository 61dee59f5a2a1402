import type { Cache } from '@nestjs/cache-manager';
import { recentlyUsed } from '../../common/recently-used/index.js';
import type { LocalStore } from './cache-stores.js';
import { FENCE_TTL_MS, FillFence } from './fill-fence.js';

/** The fence of a single process. */
export class MemoryFillFence extends FillFence {
  private readonly marks = recentlyUsed<string>(50_000, { ttl: FENCE_TTL_MS });
  private moves = 0;

  constructor(private readonly cache: Cache) {
    super();
  }

  mark(key: string): Promise<string> {
    return Promise.resolve(this.marks.get(key) ?? '');
  }

  move(key: string): Promise<void> {
    this.moves += 1;
    this.marks.set(key, String(this.moves));
    return Promise.resolve();
  }

  async fillIfUnmoved(key: string, mark: string, value: unknown, ttlMs: number): Promise<void> {
    if ((this.marks.get(key) ?? '') !== mark) return;
    await this.cache.set(key, value, ttlMs);
    // The cache's set is asynchronous, so a move may have come in between.
    if ((this.marks.get(key) ?? '') !== mark) await this.cache.del(key);
  }

  /** Other records stay, as with Redis: a module that forgets to remove its own should notice without Redis too. */
  async removeAll(keyPrefix: string): Promise<void> {
    const keys = this.cache.stores.flatMap(({ store }) => (store as LocalStore).keys());
    await this.cache.mdel(keys.filter((key) => key.startsWith(keyPrefix)));
  }
}
