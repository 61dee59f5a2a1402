import { indexRange, recordIdOf } from '../storage/keys.js';
import type { WritableView } from '../storage/view.js';
import { documentKey } from '../storage/keys.js';
import { leaves } from '../query/leaves.js';
import { decode } from '../values/decode.js';
import type { Document } from '../values/document.js';
import type { Catalogue } from './catalogue.js';
import type { IndexDefinition } from './index-definition.js';
import { limitBounds } from './bounds.js';
import { removeRecord } from './records.js';

/** Removes the documents whose time is over by a TTL index. */
export function removeExpired(view: WritableView, catalogue: Catalogue, now: Date): void {
  for (const collection of catalogue.all()) {
    for (const index of collection.indexes) {
      if (index.expireAfterSeconds === undefined) continue;
      const deadline = new Date(now.getTime() - index.expireAfterSeconds * 1000);
      for (const id of expiredIds(view, index, deadline)) {
        const bytes = view.get(documentKey(collection.id, id));
        const document = bytes && decode(bytes);
        if (document && isExpired(document, index, deadline)) removeRecord(view, collection, id, document);
      }
    }
  }
}

function expiredIds(view: WritableView, index: IndexDefinition, deadline: Date): Set<number> {
  const [prefix] = indexRange(index.id);
  const { from, to } = limitBounds(index, 0, { isLower: false, value: deadline });
  const entries = [...view.range(Buffer.concat([prefix, from]), Buffer.concat([prefix, to]))];
  return new Set(entries.map(({ value }) => recordIdOf(value)));
}

/** The earliest date of an array counts; a document without a date never expires. */
function isExpired(document: Document, index: IndexDefinition, deadline: Date): boolean {
  const values = leaves(document, index.fields[0]?.parts ?? []).flat();
  return values.some((value) => value instanceof Date && value.getTime() <= deadline.getTime());
}
