import { Sessions } from '../sessions/sessions.js';
import { Retries } from '../sessions/retries.js';
import { Catalogue } from './catalogue.js';
import { Cursors } from './cursors.js';
import { removeExpired } from './expiry.js';
/** One opened store with everything that is known about it. */
export class Engine {
    store;
    now;
    catalogue;
    cursors;
    sessions;
    retries;
    /** Where clients reach it, once it listens. */
    address = '';
    failPoint = { left: 0, data: {} };
    constructor(store, now = () => new Date()) {
        this.store = store;
        this.now = now;
        this.catalogue = new Catalogue(store);
        this.cursors = new Cursors(now);
        this.retries = new Retries(now);
        this.sessions = new Sessions(this);
    }
    /** As Store.write(), for an action that may change the catalogue. */
    async write(action) {
        let hasThrown = false;
        try {
            return await this.store.write((view) => {
                const { changes } = this.catalogue;
                try {
                    return action(view);
                }
                catch (error) {
                    hasThrown = true;
                    // Now, not later: the next writer of this commit would work on a collection that was never stored.
                    if (this.catalogue.changes !== changes)
                        this.catalogue.reload();
                    throw error;
                }
            });
        }
        catch (error) {
            // The commit failed, after the catalogue had changed with the action.
            if (!hasThrown)
                this.catalogue.reload();
            throw error;
        }
    }
    /** What MongoDB does in the background every minute: expired documents, cursors, transactions. */
    async sweep() {
        this.cursors.closeIdle();
        this.sessions.forgetExpired();
        await this.write((view) => this.retries.forgetExpired(view));
        while (await this.write((view) => removeExpired(view, this.catalogue, this.now())))
            ;
    }
    /** @param beforeClose the last thing done while the store is still open */
    async close(beforeClose = () => undefined) {
        this.sessions.abortAll();
        this.cursors.closeAll();
        // Writers that already wait for the disk are let through.
        await this.store.write(() => undefined);
        beforeClose();
        await this.store.close();
    }
}
//# sourceMappingURL=engine.js.map