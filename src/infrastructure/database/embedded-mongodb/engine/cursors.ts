import { randomBytes } from 'node:crypto';
import { Long } from 'bson';
import { CommandError } from '../command-error.js';

/** How long a cursor may stay unused before it is closed. */
export const CURSOR_IDLE_MS = 10 * 60_000;

const FIRST_BATCH = 101;
const BATCH_BYTES = 16 * 1024 * 1024;

interface OpenCursor {
  namespace: string;
  session: string | undefined;
  rest: Buffer[];
  usedAt: number;
}

export interface FirstBatch {
  /** How many documents; by default 101. */
  size?: number | undefined;
  /** Whether to close the cursor after it. */
  single?: boolean | undefined;
  session?: string | undefined;
}

export interface Batch {
  /** Zero if there are no more documents. Always int64, as the driver expects. */
  id: Long;
  namespace: string;
  documents: Buffer[];
}

/** Results that did not fit into one reply, as they were when the query ran. */
export class Cursors {
  private readonly open = new Map<string, OpenCursor>();

  constructor(private readonly now: () => Date) {}

  first(namespace: string, documents: Buffer[], { size = FIRST_BATCH, single, session }: FirstBatch): Batch {
    const length = batchLength(documents, size);
    const batch = { namespace, documents: documents.slice(0, length) };
    if (length === documents.length || single) return { id: Long.ZERO, ...batch };
    const id = Long.fromBigInt((randomBytes(8).readBigUInt64LE() >> 1n) | 1n);
    this.open.set(id.toString(), { namespace, session, rest: documents.slice(length), usedAt: this.now().getTime() });
    return { id, ...batch };
  }

  /** @param size 0 for all. @throws CommandError 43 if the cursor is not open, or no longer */
  next(id: Long, namespace: string, size = Infinity): Batch {
    const cursor = this.open.get(id.toString());
    if (cursor?.namespace !== namespace) throw new CommandError(43, `cursor id ${id.toString()} not found`);
    const documents = cursor.rest.splice(0, batchLength(cursor.rest, size || Infinity));
    cursor.usedAt = this.now().getTime();
    if (cursor.rest.length > 0) return { id, namespace, documents };
    this.close(id);
    return { id: Long.ZERO, namespace, documents };
  }

  close(id: Long): boolean {
    return this.open.delete(id.toString());
  }

  closeOfSession(session: string): void {
    for (const [id, cursor] of this.open) if (cursor.session === session) this.open.delete(id);
  }

  closeIdle(): void {
    const oldest = this.now().getTime() - CURSOR_IDLE_MS;
    for (const [id, { usedAt }] of this.open) if (usedAt < oldest) this.open.delete(id);
  }
}

function batchLength(documents: Buffer[], wanted: number): number {
  let bytes = 0;
  let count = 0;
  for (const document of documents) {
    bytes += document.length;
    if (count >= wanted || (count > 0 && bytes > BATCH_BYTES)) break;
    count++;
  }
  return count;
}
