import { Logger } from '@nestjs/common';
/**
 * The cache of records that decide over access. It is never the reason for a failure: when the store behind it does
 * not answer, everything is a miss. It never serves what was invalidated through it, not even after an outage.
 */
export class RecordCache {
    cache;
    fence;
    logger = new Logger(RecordCache.name);
    /** Writes that the store missed while it was away. Until they are made up for, nothing is read from it. */
    missedWrites = new Map();
    constructor(cache, fence) {
        this.cache = cache;
        this.fence = fence;
    }
    /** @returns the values in the order of the keys, undefined for each miss; one round trip. */
    async getMany(keys) {
        try {
            await this.makeUpForMissedWrites();
            return await this.cache.mget(keys);
        }
        catch {
            return keys.map(() => undefined);
        }
    }
    /** To be called before the storage is read for a fill. */
    async startFill(key) {
        return { key, mark: await this.fence.mark(key).catch(() => null) };
    }
    /** Stores what was read, unless the key was invalidated or put since the ticket was taken. */
    async fill({ key, mark }, value, ttlMs) {
        if (mark === null)
            return;
        await this.fence.fillIfUnmoved(key, mark, value, ttlMs).catch(() => undefined);
    }
    /** Stores a value that is newer than anything a reader may be about to fill. */
    async put(key, value, ttlMs) {
        await this.writeOrRemember(key, { kind: 'put', value, ttlMs });
    }
    async invalidate(key) {
        await this.writeOrRemember(key, { kind: 'delete' });
    }
    async writeOrRemember(key, write) {
        try {
            await this.write(key, write);
            this.missedWrites.delete(key);
        }
        catch {
            this.logger.warn('An invalidation waits for the cache to come back; until then records are read from storage');
            this.missedWrites.set(key, write);
        }
    }
    async write(key, write) {
        await this.fence.move(key);
        if (write.kind === 'put')
            await this.cache.set(key, write.value, write.ttlMs);
        else
            await this.cache.del(key);
    }
    async makeUpForMissedWrites() {
        for (const [key, write] of this.missedWrites) {
            await this.write(key, write);
            if (this.missedWrites.get(key) === write)
                this.missedWrites.delete(key);
        }
    }
}
//# sourceMappingURL=record-cache.js.map