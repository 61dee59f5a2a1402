import { CommandError } from '../command-error.js';
import { SESSION_LIFETIME_MS } from './session-lifetime.js';
import { Transaction, writeConflict } from './transaction.js';
/** How long a transaction may stay open before it is aborted. */
export const TRANSACTION_LIFETIME_MS = 60_000;
/** The sessions of the clients and their open transactions, one per session at most. */
export class Sessions {
    engine;
    lastUses = new Map();
    open = new Map();
    writers = new Map();
    constructor(engine) {
        this.engine = engine;
    }
    use(session) {
        this.lastUses.set(session, this.engine.now());
    }
    /** The sessions that clients have used and not ended, with the time of their last command. */
    all() {
        return this.lastUses;
    }
    end(session) {
        this.abort(session);
        this.lastUses.delete(session);
    }
    start({ session, number }) {
        this.abort(session);
        const { store, catalogue } = this.engine;
        const collections = new Map(catalogue.all().map((collection) => [collection.namespace, collection]));
        const now = this.engine.now();
        const transaction = new Transaction(number, now, store.snapshot(), store, this.writers, collections);
        this.open.set(session, transaction);
        return transaction;
    }
    /** @throws CommandError 251 when there is none, e.g. because it was aborted meanwhile */
    find({ session, number }) {
        const transaction = this.open.get(session);
        if (transaction?.number === number)
            return transaction;
        throw new CommandError(251, `Given transaction number ${number} does not match any in-progress transactions.`);
    }
    /** Committing twice succeeds twice. @throws CommandError 112 on a conflict; the transaction is aborted then */
    async commit(of) {
        const transaction = this.open.get(of.session);
        if (transaction?.number !== of.number) {
            if (this.engine.retries.find(this.engine.store, of.session, of.number))
                return;
            this.find(of);
            return;
        }
        try {
            await this.engine.write((view) => {
                transaction.checkConflicts();
                // Indexes that came meanwhile lack its entries; a dropped collection would leave its documents to nobody.
                for (const [namespace, collection] of transaction.written) {
                    if (this.engine.catalogue.find(namespace) !== collection)
                        throw writeConflict();
                }
                transaction.flushTo(view);
                this.engine.retries.remember(view, of.session, of.number, { ok: 1 });
            });
        }
        finally {
            this.abort(of.session);
        }
    }
    /** Does nothing when the session has no transaction. */
    abort(session) {
        const transaction = this.open.get(session);
        transaction?.release();
        return this.open.delete(session);
    }
    abortAll() {
        for (const session of this.open.keys())
            this.abort(session);
    }
    forgetExpired() {
        const now = this.engine.now().getTime();
        for (const [session, { startedAt }] of this.open) {
            if (now - startedAt.getTime() > TRANSACTION_LIFETIME_MS)
                this.abort(session);
        }
        for (const [session, lastUse] of this.lastUses) {
            if (now - lastUse.getTime() > SESSION_LIFETIME_MS)
                this.end(session);
        }
    }
}
//# sourceMappingURL=sessions.js.map