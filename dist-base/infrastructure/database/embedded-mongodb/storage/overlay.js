/** Writes of a command or transaction, kept in memory above what is stored until they are flushed as a whole. */
export class Overlay {
    base;
    writes = new Map();
    sorted;
    constructor(base) {
        this.base = base;
    }
    get(key) {
        const write = this.writes.get(key.toString('latin1'));
        return write ? (write.value ?? undefined) : this.base.get(key);
    }
    put(key, value) {
        this.write(key, value);
    }
    del(key) {
        this.write(key, null);
    }
    *range(start, end, reverse = false) {
        const pending = this.pendingBetween(start, end, reverse);
        let next = 0;
        const direction = reverse ? -1 : 1;
        for (const entry of this.base.range(start, end, reverse)) {
            let replaced = false;
            while (next < pending.length) {
                const write = pending[next];
                const order = Buffer.compare(write.key, entry.key) * direction;
                if (order > 0)
                    break;
                next++;
                replaced ||= order === 0;
                if (write.value)
                    yield { key: write.key, value: write.value };
            }
            if (!replaced)
                yield entry;
        }
        for (; next < pending.length; next++) {
            const write = pending[next];
            if (write.value)
                yield { key: write.key, value: write.value };
        }
    }
    get size() {
        return this.writes.size;
    }
    /** How much there is to write. */
    bytes() {
        let sum = 0;
        for (const { key, value } of this.writes.values())
            sum += key.length + (value?.length ?? 0);
        return sum;
    }
    keys() {
        return [...this.writes.values()].map((write) => write.key);
    }
    flushTo(target) {
        for (const { key, value } of this.writes.values()) {
            if (value)
                target.put(key, value);
            else
                target.del(key);
        }
    }
    write(key, value) {
        const name = key.toString('latin1');
        const known = this.writes.get(name);
        if (known) {
            known.value = value;
        }
        else {
            this.writes.set(name, { key, value });
            this.sorted = undefined;
        }
    }
    pendingBetween(start, end, reverse) {
        if (this.writes.size === 0)
            return [];
        this.sorted ??= [...this.writes.values()].sort((a, b) => Buffer.compare(a.key, b.key));
        const inside = this.sorted.slice(lowerBound(this.sorted, start), lowerBound(this.sorted, end));
        return reverse ? inside.reverse() : inside;
    }
}
function lowerBound(writes, key) {
    let low = 0;
    let high = writes.length;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (Buffer.compare(writes[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
//# sourceMappingURL=overlay.js.map