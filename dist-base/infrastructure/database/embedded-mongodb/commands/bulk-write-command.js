import { Long } from 'bson';
import { CommandError } from '../command-error.js';
import { isDocument } from '../values/document.js';
import { isNumber } from '../values/numbers.js';
import { writeCommands } from './write-commands.js';
/** Writes of one client to several collections, each done as the command of its own that it stands for. */
export const bulkWriteCommand = {
    bulkWrite: { kind: 'write', run: bulkWrite },
};
function bulkWrite(context) {
    const totals = { nErrors: 0, nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
    const results = [];
    for (const [idx, operation] of operationsOf(context.command).entries()) {
        const { writeErrors, n = 0, nModified = 0, upserted } = runOperation(context, operation);
        const [error] = writeErrors ?? [];
        if (error) {
            totals.nErrors++;
            results.push({ ok: 0, idx, n: 0, code: error['code'], errmsg: error['errmsg'] });
            if (context.command['ordered'] !== false)
                break;
            continue;
        }
        const [inserted] = upserted ?? [];
        if (operation.kind === 'insert')
            totals.nInserted += n;
        if (operation.kind === 'delete')
            totals.nDeleted += n;
        if (operation.kind === 'update')
            totals.nMatched += inserted ? 0 : n;
        totals.nModified += nModified;
        totals.nUpserted += inserted ? 1 : 0;
        const details = operation.kind === 'update' ? { nModified, ...(inserted && { upserted: { _id: inserted['_id'] } }) } : {};
        results.push({ ok: 1, idx, n, ...details });
    }
    const shown = context.command['errorsOnly'] === true ? results.filter(({ ok }) => ok === 0) : results;
    return { cursor: { id: Long.ZERO, ns: 'admin.$cmd.bulkWrite', firstBatch: shown }, ...totals, ok: 1 };
}
/** The operations with their namespaces. @throws CommandError 9 for one that is malformed */
export function operationsOf(command) {
    const { ops, nsInfo } = command;
    if (!Array.isArray(ops) || !Array.isArray(nsInfo))
        throw new CommandError(9, 'bulkWrite needs ops and nsInfo');
    return ops.map((op) => {
        const kind = ['insert', 'update', 'delete'].find((name) => isDocument(op) && name in op);
        const position = kind && op[kind];
        const namespace = isNumber(position) && nsInfo[Number(position)]?.['ns'];
        if (!kind || typeof namespace !== 'string' || !namespace.includes('.')) {
            throw new CommandError(9, 'Each bulkWrite operation needs a kind and a namespace');
        }
        return { kind, namespace, statement: op };
    });
}
function runOperation(context, { kind, namespace, statement }) {
    const dot = namespace.indexOf('.');
    const { filter, updateMods, multi, document, ...options } = statement;
    const lists = {
        insert: { documents: [document] },
        update: { updates: [{ ...options, q: filter, u: updateMods, c: statement['constants'], multi }] },
        delete: { deletes: [{ ...options, q: filter, limit: multi === true ? 0 : 1 }] },
    };
    const command = { [kind]: namespace.slice(dot + 1), ...lists[kind], let: context.command['let'] };
    return writeCommands[kind]?.run(context.of({ ...command, $db: namespace.slice(0, dot) }, kind));
}
//# sourceMappingURL=bulk-write-command.js.map