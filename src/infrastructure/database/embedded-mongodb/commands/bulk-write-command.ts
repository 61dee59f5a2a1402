import { Long } from 'bson';
import { CommandError } from '../command-error.js';
import { isDocument, type Document } from '../values/document.js';
import { isNumber } from '../values/numbers.js';
import type { CommandContext, CommandTable } from './command-context.js';
import { writeCommands } from './write-commands.js';

/** Writes of one client to several collections, each done as the command of its own that it stands for. */
export const bulkWriteCommand: CommandTable = {
  bulkWrite: { kind: 'write', run: bulkWrite },
};

interface Operation {
  kind: 'insert' | 'update' | 'delete';
  namespace: string;
  statement: Document;
}

function bulkWrite(context: CommandContext): Document {
  const totals = { nErrors: 0, nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
  const results: Document[] = [];
  for (const [idx, operation] of operationsOf(context.command).entries()) {
    const { writeErrors, n = 0, nModified = 0, upserted } = runOperation(context, operation) as WriteReply;
    const [error] = writeErrors ?? [];
    if (error) {
      totals.nErrors++;
      results.push({ ok: 0, idx, n: 0, code: error['code'], errmsg: error['errmsg'] });
      if (context.command['ordered'] !== false) break;
      continue;
    }
    const [inserted] = upserted ?? [];
    if (operation.kind === 'insert') totals.nInserted += n;
    if (operation.kind === 'delete') totals.nDeleted += n;
    if (operation.kind === 'update') totals.nMatched += inserted ? 0 : n;
    totals.nModified += nModified;
    totals.nUpserted += inserted ? 1 : 0;
    const details =
      operation.kind === 'update' ? { nModified, ...(inserted && { upserted: { _id: inserted['_id'] } }) } : {};
    results.push({ ok: 1, idx, n, ...details });
  }
  const shown = context.command['errorsOnly'] === true ? results.filter(({ ok }) => ok === 0) : results;
  return { cursor: { id: Long.ZERO, ns: 'admin.$cmd.bulkWrite', firstBatch: shown }, ...totals, ok: 1 };
}

interface WriteReply {
  n?: number;
  nModified?: number;
  upserted?: Document[];
  writeErrors?: Document[];
}

/** The operations with their namespaces. @throws CommandError 9 for one that is malformed */
export function operationsOf(command: Document): Operation[] {
  const { ops, nsInfo } = command;
  if (!Array.isArray(ops) || !Array.isArray(nsInfo)) throw new CommandError(9, 'bulkWrite needs ops and nsInfo');
  return ops.map((op: unknown): Operation => {
    const kind = (['insert', 'update', 'delete'] as const).find((name) => isDocument(op) && name in op);
    const position = kind && (op as Document)[kind];
    const namespace = isNumber(position) && (nsInfo[Number(position)] as Document | undefined)?.['ns'];
    if (!kind || typeof namespace !== 'string' || !namespace.includes('.')) {
      throw new CommandError(9, 'Each bulkWrite operation needs a kind and a namespace');
    }
    return { kind, namespace, statement: op as Document };
  });
}

function runOperation(context: CommandContext, { kind, namespace, statement }: Operation): unknown {
  const dot = namespace.indexOf('.');
  const { filter, updateMods, multi, document, ...options } = statement;
  const lists: Document = {
    insert: { documents: [document] },
    update: { updates: [{ ...options, q: filter, u: updateMods, c: statement['constants'], multi }] },
    delete: { deletes: [{ ...options, q: filter, limit: multi === true ? 0 : 1 }] },
  };
  const command = { [kind]: namespace.slice(dot + 1), ...(lists[kind] as Document), let: context.command['let'] };
  return writeCommands[kind]?.run(context.of({ ...command, $db: namespace.slice(0, dot) }, kind));
}
