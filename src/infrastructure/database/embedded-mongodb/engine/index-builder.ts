import { CommandError } from '../command-error.js';
import { documentRange, indexRange, multikeyKey, recordIdOf } from '../storage/keys.js';
import type { WritableView } from '../storage/view.js';
import { decode } from '../values/decode.js';
import type { Document } from '../values/document.js';
import type { Catalogue, Collection } from './catalogue.js';
import { defineIndex, sameIndex, sameKeys, type IndexDefinition } from './index-definition.js';
import { indexEntries } from './index-entries.js';
import { addEntries, refuseDuplicates } from './records.js';

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
