import { Long } from 'bson';
import { CommandError } from '../command-error.js';
import { isDocument, type Document } from '../values/document.js';
import { isNumber } from '../values/bson-types.js';
import type { CommandContext } from './command-context.js';
import { insert, remove, update } from './write-commands.js';

interface Operation {
  kind: 'insert' | 'update' | 'delete';
  namespace: string;
  statement: Document;
}

interface WriteReply {
  n?: number;
  nModified?: number;
  upserted?: Document[];
  writeErrors?: Document[];
}

const HANDLERS: Record<Operation['kind'], (context: CommandContext) => WriteReply> = { insert, update, delete: remove };

/** The command bulkWrite: writes to several collections, each executed like a command of its own. */
export function bulkWrite(context: CommandContext): Document {
  const totals = { nErrors: 0, nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
  const results: Document[] = [];
  for (const [idx, operation] of operationsOf(context.command).entries()) {
    const { kind } = operation;
    const { writeErrors: [error] = [], upserted: [inserted] = [], n = 0, nModified = 0 } = run(context, operation);
    if (error) {
      totals.nErrors++;
      results.push({ ok: 0, idx, n: 0, code: error.code, errmsg: error.errmsg });
      if (context.transaction || context.command.ordered !== false) break;
      continue;
    }
    if (kind === 'insert') totals.nInserted += n;
    if (kind === 'delete') totals.nDeleted += n;
    if (kind === 'update') totals[inserted ? 'nUpserted' : 'nMatched'] += n;
    totals.nModified += nModified;
    const upsertedId = inserted && { upserted: { _id: inserted._id } };
    results.push({ ok: 1, idx, n, ...(kind === 'update' && { nModified, ...upsertedId }) });
  }
  const shown = context.command.errorsOnly === true ? results.filter(({ ok }) => ok === 0) : results;
  return { cursor: { id: Long.ZERO, ns: 'admin.$cmd.bulkWrite', firstBatch: shown }, ...totals, ok: 1 };
}

function operationsOf({ ops, nsInfo }: Document): Operation[] {
  if (!Array.isArray(ops) || !Array.isArray(nsInfo)) throw new CommandError(9, 'bulkWrite needs ops and nsInfo');
  return ops.map((statement: Document): Operation => {
    const kind = (['insert', 'update', 'delete'] as const).find((name) => isDocument(statement) && name in statement);
    const position = kind && statement[kind];
    const namespace = isNumber(position) && (nsInfo[Number(position)] as Document | undefined)?.ns;
    if (!kind || typeof namespace !== 'string' || !namespace.includes('.')) {
      throw new CommandError(9, 'Each bulkWrite operation needs a kind and a namespace');
    }
    return { kind, namespace, statement };
  });
}

function run(context: CommandContext, { kind, namespace, statement }: Operation): WriteReply {
  const [database = ''] = namespace.split('.', 1);
  const { [kind]: _, filter: q, updateMods: u, constants: c, multi = false, document, ...options } = statement;
  const lists: Record<Operation['kind'], Document> = {
    insert: { documents: [document] },
    update: { updates: [{ ...options, q, u, c, multi }] },
    delete: { deletes: [{ ...options, q, limit: multi === true ? 0 : 1 }] },
  };
  const { let: variables } = context.command;
  const command = { [kind]: namespace.slice(database.length + 1), ...lists[kind], let: variables, $db: database };
  return HANDLERS[kind](context.of(command, kind));
}
