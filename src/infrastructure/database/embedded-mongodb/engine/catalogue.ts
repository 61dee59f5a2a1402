import { isDeepStrictEqual } from 'node:util';
import { CommandError } from '../command-error.js';
import * as keys from '../storage/keys.js';
import type { View, WritableView } from '../storage/view.js';
import { FOLDING } from '../values/collation.js';
import { decode, decodeOwn } from '../values/decode.js';
import { toBytes, type Document } from '../values/document.js';
import { equal } from '../values/order.js';
import {
  checkIndex,
  defineIndex,
  idIndex,
  indexEntries,
  isSameIndex,
  isSameKey,
  type Collection,
  type IndexDefinition,
} from './indexes.js';
import { addEntries, refuseDuplicates } from './records.js';

const MOST_INDEXES = 64;

/** The collections and their indexes. Collection objects are replaced and never changed: a transaction keeps those it found. */
export class Catalogue {
  private readonly collections = new Map<string, Collection>();
  /** Incremented by every change. */
  changes = 0;
  private lastId = 0;
  private lastRecordId = 0;

  constructor(private readonly view: View) {
    this.reload();
  }

  /** Reads everything anew, e.g. after a failed commit. Ids that were assigned before are never assigned again. */
  reload(): void {
    this.collections.clear();
    for (const { value } of this.view.range(...keys.CATALOGUE_RANGE)) {
      const collection = read(decodeOwn(value));
      this.collections.set(collection.namespace, collection);
      this.lastId = Math.max(this.lastId, collection.id, ...collection.indexes.map(({ id }) => id));
      const [last] = this.view.range(...keys.documentRange(collection.id), true);
      if (last) this.lastRecordId = Math.max(this.lastRecordId, keys.numberOf(last.key));
    }
    for (const { key } of this.view.range(...keys.GARBAGE_RANGE)) {
      this.lastId = Math.max(this.lastId, keys.garbageOf(key).id);
    }
  }

  find(namespace: string): Collection | undefined {
    return this.collections.get(namespace);
  }

  /** Whether a collection that was found before has the same indexes still. Ids tell, since each is assigned once. */
  isAsItWas({ namespace, id, indexes }: Collection): boolean {
    const now = this.find(namespace);
    return now?.id === id && isDeepStrictEqual(idsOf(now.indexes), idsOf(indexes));
  }

  all(): Collection[] {
    return [...this.collections.values()];
  }

  inDatabase(database: string): Collection[] {
    return this.all().filter((collection) => collection.database === database);
  }

  nextRecordId(): number {
    return ++this.lastRecordId;
  }

  create(view: WritableView, database: string, name: string, options: Document = {}): Collection {
    const namespace = `${database}.${name}`;
    const isInvalid = name === '' || /[$\0]|^(?:system)?\./.test(name) || Buffer.byteLength(namespace) > 255;
    if (isInvalid) throw new CommandError(73, `Invalid collection name: ${name}`);
    const indexes = [idIndex(++this.lastId, options.collation)];
    const id = ++this.lastId;
    view.put(keys.countKey(id), keys.number(0));
    return this.save(view, { id, namespace, database, name, options, indexes });
  }

  drop(view: WritableView, collection: Collection): void {
    for (const index of collection.indexes) removeIndex(view, index);
    removeRange(view, keys.documentRange(collection.id));
    view.del(keys.catalogueKey(collection.namespace));
    view.del(keys.countKey(collection.id));
    this.collections.delete(collection.namespace);
    this.changes++;
  }

  /** Adds indexes and fills them. @throws CommandError 11000 if the documents violate a unique one */
  createIndexes(view: WritableView, collection: Collection, specifications: Document[]): Collection {
    const indexes = [...collection.indexes];
    for (const specification of specifications) {
      const { collation } = collection.options;
      checkIndex(specification);
      const index = defineIndex(++this.lastId, collation ? { collation, ...specification } : specification);
      const isOfId = equal(specification.key, { _id: 1 });
      if (isOfId && index.fold !== indexes[0]?.fold) {
        throw new CommandError(2, 'The _id index must have the same collation as the collection');
      }
      if (isOfId || isThere(indexes, index)) continue;
      fill(view, collection, index);
      indexes.push(index);
    }
    if (indexes.length > MOST_INDEXES) throw new CommandError(67, 'add index fails, too many indexes');
    return indexes.length === collection.indexes.length ? collection : this.save(view, { ...collection, indexes });
  }

  dropIndexes(view: WritableView, collection: Collection, dropped: readonly IndexDefinition[]): void {
    for (const index of dropped) removeIndex(view, index);
    this.save(view, { ...collection, indexes: collection.indexes.filter((index) => !dropped.includes(index)) });
  }

  private save(view: WritableView, collection: Collection): Collection {
    const { id, database, name, options, indexes } = collection;
    const stored = indexes.map(({ id, specification, folding }) => ({ id, specification, folding }));
    view.put(keys.catalogueKey(collection.namespace), toBytes({ id, database, name, options, indexes: stored }));
    this.collections.set(collection.namespace, collection);
    this.changes++;
    return collection;
  }
}

function idsOf(indexes: readonly IndexDefinition[]): number[] {
  return indexes.map(({ id }) => id);
}

/** @throws Error for indexes whose keys only a newer release can write */
function read(stored: Document): Collection {
  const { indexes, ...collection } = stored as unknown as Omit<Collection, 'namespace'>;
  if (indexes.some(({ folding = 1 }) => folding > FOLDING)) {
    throw new Error(`${collection.name} has indexes of a newer release, which alone can go on with them`);
  }
  const defined = indexes.map(({ id, specification, folding = 1 }) =>
    specification.name === '_id_'
      ? idIndex(id, specification.collation, folding)
      : defineIndex(id, specification, folding),
  );
  return { ...collection, namespace: `${collection.database}.${collection.name}`, indexes: defined };
}

/** @throws CommandError 85 or 86 if there is another index of this name, or over these fields */
function isThere(indexes: readonly IndexDefinition[], index: IndexDefinition): boolean {
  if (indexes.some((one) => isSameIndex(one, index))) return true;
  const twin = indexes.find(
    (one) => isSameKey(one, index) && one.isUnique === index.isUnique && one.isSparse === index.isSparse,
  );
  if (twin) throw new CommandError(85, `Index already exists with a different name or other options: ${twin.name}`);
  if (indexes.some(({ name }) => name === index.name)) {
    throw new CommandError(86, `An existing index has the same name as the requested index: ${index.name}`);
  }
  return false;
}

function fill(view: WritableView, collection: Collection, index: IndexDefinition): void {
  for (const { key, value } of view.range(...keys.documentRange(collection.id))) {
    const entries = indexEntries(index, decode(value));
    refuseDuplicates(view, collection.namespace, index, entries);
    addEntries(view, index, entries, keys.numberOf(key));
  }
}

function removeIndex(view: WritableView, { id }: IndexDefinition): void {
  removeRange(view, keys.indexRange(id));
  view.del(keys.multikeyKey(id));
}

/** Entries removed at a time, so that removing a million never delays other clients for long. */
export const REMOVED_AT_ONCE = 2_000;

/** What is more is left to {@link removeGarbage}: nobody sees it, since no id is assigned twice. */
function removeRange(view: WritableView, range: [Buffer, Buffer]): void {
  if (!removeSome(view, range)) view.put(keys.garbageKey(range[0]), Buffer.alloc(0));
}

/** Removes what collections and indexes that were dropped have left. @returns whether there may be more */
export function removeGarbage(view: WritableView): boolean {
  const [first] = view.range(...keys.GARBAGE_RANGE);
  if (first && removeSome(view, keys.garbageOf(first.key).range)) view.del(first.key);
  return first !== undefined;
}

/** @returns whether that was all */
function removeSome(view: WritableView, [start, end]: [Buffer, Buffer]): boolean {
  let left = REMOVED_AT_ONCE;
  for (const { key } of view.range(start, end)) {
    if (left-- === 0) return false;
    view.del(key);
  }
  return true;
}
