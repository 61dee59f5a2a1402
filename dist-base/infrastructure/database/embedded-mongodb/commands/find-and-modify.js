import { CommandError } from '../command-error.js';
import { findRecords } from '../engine/find.js';
import { removeRecord } from '../engine/records.js';
import { compileProjection } from '../query/projection.js';
import { projectionOptions } from './read-commands.js';
import { compileStatement, isReplacement, replaceDocument, upsert } from './write-commands.js';
export const findAndModifyCommand = {
    findAndModify: { kind: 'write', run: findAndModify },
};
function findAndModify(context) {
    const { command } = context;
    const removes = context.flag('remove');
    const upserts = context.flag('upsert');
    if (removes === (command['update'] !== undefined) || (removes && (upserts || context.flag('new')))) {
        throw new CommandError(9, 'Either an update or remove=true must be specified, and remove allows neither upsert nor new');
    }
    const collection = upserts ? context.createdCollection() : context.writableCollection();
    const query = context.query(collection, command, 'query');
    const change = removes ? undefined : compileStatement(context, command, 'update', query, false);
    const fields = context.documentField('fields') ?? {};
    const project = compileProjection(fields, projectionOptions(query));
    const shown = (document) => (Object.keys(fields).length > 0 ? project(document) : document);
    const sort = context.documentField('sort');
    const [record] = findRecords(context.view, collection, { ...query, sort, limit: 1 });
    if (!record) {
        if (!upserts || !change)
            return reply(null, removes ? { n: 0 } : { n: 0, updatedExisting: false });
        const document = upsert(context, collection, query, change, isReplacement(command['update']));
        const result = { n: 1, updatedExisting: false, upserted: document['_id'] };
        return reply(context.flag('new') ? shown(document) : null, result);
    }
    if (!change) {
        removeRecord(context.view, collection, record.id, record.document);
        return reply(shown(record.document), { n: 1 });
    }
    const { document } = replaceDocument(context, collection, record, change);
    return reply(shown(context.flag('new') ? document : record.document), { n: 1, updatedExisting: true });
}
function reply(value, lastErrorObject) {
    return { lastErrorObject, value, ok: 1 };
}
//# sourceMappingURL=find-and-modify.js.map