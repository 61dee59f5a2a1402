import { isDocumentKey } from './keys.js';
import type { Entry, View } from './view.js';

/** Counts what is read through it. */
export class CountingView implements View {
  indexEntries = 0;
  documents = 0;

  constructor(private readonly base: View) {}

  get(key: Buffer): Buffer | undefined {
    if (isDocumentKey(key)) this.documents++;
    return this.base.get(key);
  }

  *range(start: Buffer, end: Buffer, reverse?: boolean): Iterable<Entry> {
    for (const entry of this.base.range(start, end, reverse)) {
      if (isDocumentKey(entry.key)) this.documents++;
      else this.indexEntries++;
      yield entry;
    }
  }
}
