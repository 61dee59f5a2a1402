import { CommandError } from '../command-error.js';
import {
  CATALOGUE_RANGE,
  catalogueKey,
  countKey,
  documentRange,
  indexRange,
  multikeyKey,
  number,
  recordIdOf,
} from '../storage/keys.js';
import type { View, WritableView } from '../storage/view.js';
import { decode } from '../values/decode.js';
import { type Document, toBytes } from '../values/document.js';
import { defineIndex, idIndex, type IndexDefinition, indexEntries, sameIndex, sameKeys } from './indexes.js';
import { addEntries, refuseDuplicates } from './records.js';

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

/** Adds indexes and fills them. @throws CommandError 11000 when the documents break a unique one */
export function createIndexes(
  view: WritableView,
  catalogue: Catalogue,
  collection: Collection,
  specifications: Document[],
): Collection {
  const indexes = [...collection.indexes];
  for (const specification of specifications) {
    const { collation } = collection.options;
    const index = defineIndex(catalogue.nextId(), collation ? { collation, ...specification } : specification);
    if (alreadyThere(indexes, index)) continue;
    fill(view, collection, index);
    indexes.push(index);
  }
  return indexes.length === collection.indexes.length ? collection : catalogue.save(view, { ...collection, indexes });
}

export function dropIndexes(
  view: WritableView,
  catalogue: Catalogue,
  collection: Collection,
  dropped: readonly IndexDefinition[],
): void {
  for (const index of dropped) removeIndex(view, index);
  const indexes = collection.indexes.filter((index) => !dropped.includes(index));
  catalogue.save(view, { ...collection, indexes });
}

export function dropCollection(view: WritableView, catalogue: Catalogue, collection: Collection): void {
  for (const index of collection.indexes) removeIndex(view, index);
  removeRange(view, documentRange(collection.id));
  catalogue.remove(view, collection);
}

function alreadyThere(indexes: readonly IndexDefinition[], index: IndexDefinition): boolean {
  for (const known of indexes) {
    if (known.name === '_id_' && sameKeys(known, index)) return true;
    if (sameIndex(known, index)) return true;
    if (known.name === index.name) {
      const code = sameKeys(known, index) ? 85 : 86;
      throw new CommandError(
        code,
        `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Requested index: ${index.name}`,
      );
    }
    if (sameKeys(known, index)) {
      throw new CommandError(85, `Index already exists with a different name or different options: ${known.name}`);
    }
  }
  return false;
}

function fill(view: WritableView, collection: Collection, index: IndexDefinition): void {
  for (const { key, value } of view.range(...documentRange(collection.id))) {
    const entries = indexEntries(index, decode(value));
    refuseDuplicates(view, collection, index, entries);
    addEntries(view, index, entries, recordIdOf(key));
  }
}

function removeIndex(view: WritableView, { id }: IndexDefinition): void {
  removeRange(view, indexRange(id));
  view.del(multikeyKey(id));
}

function removeRange(view: WritableView, [start, end]: [Buffer, Buffer]): void {
  for (const { key } of view.range(start, end)) view.del(key);
}
