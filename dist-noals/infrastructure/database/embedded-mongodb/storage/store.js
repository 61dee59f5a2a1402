import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { open } from 'lmdb';
import { Overlay } from './overlay.js';
const PAGE_BYTES = 4096;
/** Left free on the disk: for other programs, and for what was not foreseen. */
const RESERVE_BYTES = 8 * 2 ** 20;
const NO_SPACE = 'no space left on the device';
/** The documents and indexes of one directory, as ordered bytes in LMDB. */
export class Store {
    database;
    file;
    isDurable;
    writers = [];
    room = 0;
    constructor(database, file, isDurable) {
        this.database = database;
        this.file = file;
        this.isDurable = isDurable;
    }
    /**
     * @param durable false: nothing is flushed to disk, for throw-away stores
     * @throws Error when LMDB cannot open the file, or the disk is full
     */
    static open(file, durable) {
        if (freeBytes(file) < RESERVE_BYTES)
            throw new Error(NO_SPACE);
        const database = open({
            path: file,
            noSubdir: true,
            encoding: 'binary',
            keyEncoding: 'binary',
            noSync: !durable,
            // Classic LMDB commits: the data reaches the disk before the page that makes it visible does.
            overlappingSync: false,
        });
        return new Store(database, file, durable);
    }
    get(key) {
        return this.database.get(key);
    }
    range(start, end, reverse = false) {
        return readRange(this.database, start, end, reverse);
    }
    /** Only inside writeSync(). */
    put(key, value) {
        this.database.putSync(key, value);
    }
    /** Only inside writeSync(). */
    del(key) {
        this.database.removeSync(key);
    }
    /**
     * Runs a synchronous action alone among all writers. What it wrote is on disk when the promise resolves; where the
     * action throws or the disk refuses, nothing of it is written. Writers of one turn of the event loop share a commit.
     */
    write(action) {
        return new Promise((resolve, reject) => {
            this.writers.push({ action, resolve: resolve, reject });
            if (this.writers.length === 1)
                setImmediate(() => this.commit());
        });
    }
    /**
     * Not by lmdb's own asynchronous transactions: when a commit of theirs fails, e.g. on a full disk, they also reject
     * promises that nobody can reach, which ends the process (lmdb-js issue 368).
     */
    commit() {
        const writers = this.writers.splice(0);
        try {
            this.room = freeBytes(this.file);
            const answers = this.writeSync(() => writers.map((writer) => this.run(writer)));
            for (const answer of answers)
                answer();
        }
        catch (error) {
            const refusal = new Error(`The disk refused the write: ${error.message}`, { cause: error });
            for (const { reject } of writers)
                reject(refusal);
        }
    }
    /** @throws Error when the writes are refused half way: the whole commit is then void */
    run({ action, resolve, reject }) {
        const view = new Overlay(this);
        let result;
        try {
            result = action(view);
        }
        catch (error) {
            return () => reject(error);
        }
        if (view.size > 0)
            this.takeRoom(2 * view.bytes() + Math.min(view.size * PAGE_BYTES, statSync(this.file).size));
        view.flushTo(this);
        return () => resolve(result);
    }
    /**
     * A full disk is noticed here, before LMDB meets it: the message it then writes overruns the memory it took for it.
     * The most that a commit can need is a new copy of each page it touches, and new pages for what it adds.
     */
    takeRoom(bytes) {
        this.room -= bytes;
        if (this.room < RESERVE_BYTES)
            throw new Error(NO_SPACE);
    }
    /** Runs an action at once, and excludes other processes that have the file open too. @throws what the action throws */
    writeSync(action) {
        return this.database.transactionSync(action);
    }
    /** What is stored now, unchanged by later writes. It keeps old pages alive: release it. */
    snapshot() {
        this.database.resetReadTxn();
        const transaction = this.database.useReadTransaction();
        return {
            get: (key) => this.database.get(key, { transaction }),
            range: (start, end, reverse = false) => readRange(this.database, start, end, reverse, transaction),
            release: () => transaction.done(),
        };
    }
    close() {
        return this.database.close();
    }
}
function freeBytes(file) {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize;
}
function readRange(database, start, end, reverse, transaction) {
    const [from, to] = reverse ? [end, start] : [start, end];
    const bounds = reverse ? { exclusiveStart: true, inclusiveEnd: true } : {};
    return database.getRange({ start: from, end: to, reverse, ...bounds, ...(transaction && { transaction }) });
}
//# sourceMappingURL=store.js.map