import { CommandError } from '../command-error.js';
import { catalogueKey, catalogueRange, documentRange, recordIdOf } from '../storage/keys.js';
import { decode } from '../values/decode.js';
import { toBytes } from '../values/document.js';
import { defineIndex, idIndex } from './index-definition.js';
/**
 * Which collections and indexes there are. A collection object is replaced, never changed, so that a transaction sees
 * by identity whether indexes came or went under it.
 */
export class Catalogue {
    view;
    collections = new Map();
    /** Grows with every change, to tell whether there was one. */
    changes = 0;
    lastId = 0;
    lastRecordId = 0;
    constructor(view) {
        this.view = view;
        this.reload();
    }
    /** Reads everything anew, e.g. after a commit that failed. Ids already handed out are never handed out again. */
    reload() {
        this.collections.clear();
        for (const { value } of this.view.range(...catalogueRange())) {
            const collection = read(decode(value));
            this.collections.set(collection.namespace, collection);
            this.lastId = Math.max(this.lastId, collection.id, ...collection.indexes.map((index) => index.id));
            for (const { key } of this.view.range(...documentRange(collection.id), true)) {
                this.lastRecordId = Math.max(this.lastRecordId, recordIdOf(key));
                break;
            }
        }
    }
    find(namespace) {
        return this.collections.get(namespace);
    }
    all() {
        return [...this.collections.values()];
    }
    inDatabase(database) {
        return this.all().filter((collection) => collection.database === database);
    }
    nextId() {
        return ++this.lastId;
    }
    nextRecordId() {
        return ++this.lastRecordId;
    }
    create(view, database, name, options = {}) {
        if (name === '' || name.includes('$') || name.includes('\0') || name.startsWith('system.')) {
            throw new CommandError(73, `Invalid collection name: ${name}`);
        }
        const namespace = `${database}.${name}`;
        if (Buffer.byteLength(namespace) > 255)
            throw new CommandError(73, 'Namespaces are limited to 255 bytes');
        const indexes = [idIndex(this.nextId())];
        return this.save(view, { id: this.nextId(), namespace, database, name, options, indexes });
    }
    save(view, collection) {
        const { id, database, name, options, indexes } = collection;
        const stored = indexes.map((index) => ({ id: index.id, specification: index.specification }));
        view.put(catalogueKey(collection.namespace), toBytes({ id, database, name, options, indexes: stored }));
        this.collections.set(collection.namespace, collection);
        this.changes++;
        return collection;
    }
    remove(view, collection) {
        view.del(catalogueKey(collection.namespace));
        this.collections.delete(collection.namespace);
        this.changes++;
    }
}
function read(stored) {
    const { id, database, name, options, indexes } = stored;
    const defined = indexes.map((index) => index.specification['name'] === '_id_' ? idIndex(index.id) : defineIndex(index.id, index.specification));
    return { id, namespace: `${database}.${name}`, database, name, options, indexes: defined };
}
//# sourceMappingURL=catalogue.js.map