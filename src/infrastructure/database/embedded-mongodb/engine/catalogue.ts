import { CommandError } from '../command-error.js';
import { catalogueKey, CATALOGUE_RANGE, countKey, documentRange, number, recordIdOf } from '../storage/keys.js';
import type { View, WritableView } from '../storage/view.js';
import { decode } from '../values/decode.js';
import { toBytes, type Document } from '../values/document.js';
import { defineIndex, idIndex, type IndexDefinition } from './index-definition.js';

export interface Collection {
  readonly id: number;
  readonly namespace: string;
  readonly database: string;
  readonly name: string;
  readonly options: Document;
  readonly indexes: readonly IndexDefinition[];
}

/**
 * Which collections and indexes there are. A collection object is replaced, never changed, so that a transaction sees
 * by identity whether indexes came or went under it.
 */
export class Catalogue {
  private readonly collections = new Map<string, Collection>();
  /** Grows with every change, to tell whether there was one. */
  changes = 0;
  private lastId = 0;
  private lastRecordId = 0;

  constructor(private readonly view: View) {
    this.reload();
  }

  /** Reads everything anew, e.g. after a commit that failed. Ids already handed out are never handed out again. */
  reload(): void {
    this.collections.clear();
    for (const { value } of this.view.range(...CATALOGUE_RANGE)) {
      const collection = read(decode(value));
      this.collections.set(collection.namespace, collection);
      this.lastId = Math.max(this.lastId, collection.id, ...collection.indexes.map((index) => index.id));
      for (const { key } of this.view.range(...documentRange(collection.id), true)) {
        this.lastRecordId = Math.max(this.lastRecordId, recordIdOf(key));
        break;
      }
    }
  }

  find(namespace: string): Collection | undefined {
    return this.collections.get(namespace);
  }

  all(): Collection[] {
    return [...this.collections.values()];
  }

  inDatabase(database: string): Collection[] {
    return this.all().filter((collection) => collection.database === database);
  }

  nextId(): number {
    return ++this.lastId;
  }

  nextRecordId(): number {
    return ++this.lastRecordId;
  }

  create(view: WritableView, database: string, name: string, options: Document = {}): Collection {
    if (name === '' || name.includes('$') || name.includes('\0') || name.startsWith('system.')) {
      throw new CommandError(73, `Invalid collection name: ${name}`);
    }
    const namespace = `${database}.${name}`;
    if (Buffer.byteLength(namespace) > 255) throw new CommandError(73, 'Namespaces are limited to 255 bytes');
    const indexes = [idIndex(this.nextId())];
    const id = this.nextId();
    view.put(countKey(id), number(0));
    return this.save(view, { id, namespace, database, name, options, indexes });
  }

  save(view: WritableView, collection: Collection): Collection {
    const { id, database, name, options, indexes } = collection;
    const stored = indexes.map((index) => ({ id: index.id, specification: index.specification }));
    view.put(catalogueKey(collection.namespace), toBytes({ id, database, name, options, indexes: stored }));
    this.collections.set(collection.namespace, collection);
    this.changes++;
    return collection;
  }

  remove(view: WritableView, collection: Collection): void {
    view.del(catalogueKey(collection.namespace));
    view.del(countKey(collection.id));
    this.collections.delete(collection.namespace);
    this.changes++;
  }
}

function read(stored: Document): Collection {
  const { id, database, name, options, indexes } = stored as unknown as {
    id: number;
    database: string;
    name: string;
    options: Document;
    indexes: { id: number; specification: Document }[];
  };
  const defined = indexes.map((index) =>
    index.specification['name'] === '_id_' ? idIndex(index.id) : defineIndex(index.id, index.specification),
  );
  return { id, namespace: `${database}.${name}`, database, name, options, indexes: defined };
}
