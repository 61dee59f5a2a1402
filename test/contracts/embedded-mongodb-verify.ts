import {
  countKey,
  documentRange,
  indexRange,
  number,
  numberOf,
} from '../../src/infrastructure/database/embedded-mongodb/storage/keys.js';
import type { View } from '../../src/infrastructure/database/embedded-mongodb/storage/view.js';
import { decode } from '../../src/infrastructure/database/embedded-mongodb/values/decode.js';
import { Catalogue } from '../../src/infrastructure/database/embedded-mongodb/engine/catalogue.js';
import { indexEntries, type Collection } from '../../src/infrastructure/database/embedded-mongodb/engine/indexes.js';
import { keyOf } from '../../src/infrastructure/database/embedded-mongodb/engine/records.js';

/** Compares every index with one recomputed from the documents. @returns what is wrong, in words; empty when nothing is */
export function verify(view: View): string[] {
  return new Catalogue(view).all().flatMap((collection) => verifyCollection(view, collection));
}

function verifyCollection(view: View, collection: Collection): string[] {
  const problems: string[] = [];
  const expected = new Map<string, Buffer>();
  let documents = 0;
  for (const { key, value } of view.range(...documentRange(collection.id))) {
    documents++;
    const [id, document] = [numberOf(key), decode(value)];
    for (const index of collection.indexes) {
      for (const { bytes } of indexEntries(index, document)) {
        const name = keyOf(index, bytes, id).toString('latin1');
        if (expected.has(name)) problems.push(`${collection.namespace}: two documents share a key of ${index.name}`);
        expected.set(name, number(id));
      }
    }
  }
  const count = view.get(countKey(collection.id));
  if (count && numberOf(count) !== documents)
    problems.push(`${collection.namespace}: counts ${numberOf(count)} documents, has ${documents}`);
  for (const index of collection.indexes) {
    for (const { key, value } of view.range(...indexRange(index.id))) {
      const wanted = expected.get(key.toString('latin1'));
      if (!wanted?.equals(value))
        problems.push(`${collection.namespace}: ${index.name} has an entry without its document`);
      expected.delete(key.toString('latin1'));
    }
  }
  if (expected.size > 0) problems.push(`${collection.namespace}: ${expected.size} index entries are missing`);
  return problems;
}
