import { CommandError } from '../command-error.js';
import { Overlay } from '../storage/overlay.js';
/**
 * A multi-document transaction: it reads a snapshot and keeps its writes to itself until the commit. It holds no lock,
 * so code that forgets to pass its session cannot deadlock with it; the later of two writers of a key gets a conflict.
 */
export class Transaction extends Overlay {
    number;
    startedAt;
    snapshot;
    live;
    writers;
    collections;
    /** The collections it wrote to, as they were then. */
    written = new Map();
    constructor(number, startedAt, snapshot, live, 
    /** Which open transaction wrote a key, shared by all of them. */
    writers, collections) {
        super(snapshot);
        this.number = number;
        this.startedAt = startedAt;
        this.snapshot = snapshot;
        this.live = live;
        this.writers = writers;
        this.collections = collections;
    }
    /** The collection as it was when the snapshot was taken: newer indexes have no entries in the snapshot. */
    collection(namespace, current) {
        return this.collections.get(namespace) ?? current;
    }
    /** @throws CommandError 112 when somebody else committed or is about to write what this transaction wrote */
    checkConflicts() {
        for (const key of this.keys())
            this.checkKey(key);
    }
    release() {
        for (const key of this.keys())
            this.writers.delete(key.toString('latin1'));
        this.snapshot.release();
    }
    write(key, value) {
        const name = key.toString('latin1');
        const writer = this.writers.get(name);
        if (writer && writer !== this)
            throw writeConflict();
        this.checkKey(key);
        this.writers.set(name, this);
        super.write(key, value);
    }
    checkKey(key) {
        const [now, then] = [this.live.get(key), this.snapshot.get(key)];
        if (now && then ? !now.equals(then) : now !== then)
            throw writeConflict();
    }
}
export function writeConflict() {
    return new CommandError(112, 'Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.');
}
//# sourceMappingURL=transaction.js.map