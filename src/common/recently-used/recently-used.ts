import { LRUCache } from 'lru-cache';

/**
 * A map of bounded size: beyond it the least recently used entries are forgotten. Counted as size, each entry being one: for a
 * `max` lru-cache would allocate the whole table at once, which is 50 ms of a start for the tables of this service.
 */
export function recentlyUsed<V extends object | string>(
  maxEntries: number,
  options?: { ttl?: number; ttlResolution?: number },
): LRUCache<string, V> {
  return new LRUCache<string, V>({ maxSize: maxEntries, sizeCalculation: () => 1, ...options });
}
