/**
 * Keeps a slow reader from putting back what was invalidated while it read the storage. A reader takes the fence's
 * mark before it reads; an invalidation moves the mark; the reader's value is kept only if the mark is still the same.
 */
export class FillFence {
}
/** No read of the storage takes longer (its own limit is 5 s), so an older mark need not be remembered. */
export const FENCE_TTL_MS = 60_000;
//# sourceMappingURL=fill-fence.js.map