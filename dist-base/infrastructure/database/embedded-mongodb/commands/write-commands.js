import { ObjectId } from 'bson';
import { CommandError } from '../command-error.js';
import { findRecords, matchingRecords } from '../engine/find.js';
import { insertRecord, removeRecord, replaceRecord } from '../engine/records.js';
import { compileUpdate } from '../update/update.js';
import { upsertDocument } from '../update/upsert.js';
import { isDocument, toStoredBytes } from '../values/document.js';
import { isNumber, toDouble } from '../values/numbers.js';
import { evaluateVariables } from '../aggregation/expressions.js';
export const writeCommands = {
    insert: { kind: 'write', run: insert },
    update: { kind: 'write', run: update },
    delete: { kind: 'write', run: remove },
};
/** The largest number of statements in one command. */
export const MAX_BATCH = 100_000;
function insert(context) {
    const collection = context.createdCollection();
    let inserted = 0;
    const writeErrors = eachStatement(context, 'documents', (document) => {
        insertDocument(context, collection, document);
        inserted++;
    });
    return { n: inserted, ...writeErrors, ok: 1 };
}
function update(context) {
    const result = { n: 0, nModified: 0, upserted: [] };
    const writeErrors = eachStatement(context, 'updates', (statement, index) => {
        const collection = statement['upsert'] === true ? context.createdCollection() : context.writableCollection();
        const query = context.query(collection, statement, 'q', 'c');
        const isMulti = statement['multi'] === true;
        const change = compileStatement(context, statement, 'u', query, isMulti);
        const order = { sort: context.documentField('sort', statement), limit: isMulti ? 0 : 1 };
        // All records are found before the first one is changed, or a change could make one be found again.
        const found = findRecords(context.view, collection, { ...query, ...order });
        for (const record of found) {
            result.n++;
            if (replaceDocument(context, collection, record, change).isModified)
                result.nModified++;
        }
        if (found.length > 0 || statement['upsert'] !== true)
            return;
        const document = upsert(context, collection, query, change, isReplacement(statement['u']));
        result.n++;
        result.upserted.push({ index, _id: document['_id'] });
    });
    const { upserted, ...counts } = result;
    return { ...counts, ...(upserted.length > 0 && { upserted }), ...writeErrors, ok: 1 };
}
function remove(context) {
    const collection = context.writableCollection();
    let removed = 0;
    const writeErrors = eachStatement(context, 'deletes', (statement) => {
        const limit = isNumber(statement['limit']) ? toDouble(statement['limit']) : 0;
        const query = context.query(collection, statement, 'q');
        const found = limit === 1
            ? findRecords(context.view, collection, { ...query, limit: 1 })
            : [...matchingRecords(context.view, collection, query)];
        for (const { id, document } of found)
            removeRecord(context.view, collection, id, document);
        removed += found.length;
    });
    return { n: removed, ...writeErrors, ok: 1 };
}
/** Runs the statements of a bulk; in a transaction the first error fails the whole command. */
function eachStatement(context, field, run) {
    const statements = context.command[field];
    if (!Array.isArray(statements) || !statements.every(isDocument)) {
        throw new CommandError(14, `BSON field '${context.name}.${field}' must be an array of objects`);
    }
    if (statements.length === 0 || statements.length > MAX_BATCH) {
        throw new CommandError(9, `Write batch sizes must be between 1 and ${MAX_BATCH}. Got ${statements.length} operations.`);
    }
    const isOrdered = context.command['ordered'] !== false;
    const writeErrors = [];
    for (const [index, statement] of statements.entries()) {
        try {
            run(statement, index);
        }
        catch (error) {
            if (!(error instanceof CommandError) || context.transaction)
                throw error;
            writeErrors.push({ index, code: error.code, errmsg: error.message, ...error.details });
            if (isOrdered)
                break;
        }
    }
    return writeErrors.length > 0 ? { writeErrors } : {};
}
export function insertDocument(context, collection, document) {
    const complete = '_id' in document ? document : { _id: new ObjectId(), ...document };
    const bytes = toStoredBytes(complete);
    insertRecord(context.view, collection, context.engine.catalogue.nextRecordId(), complete, bytes);
    return complete;
}
export function compileStatement(context, statement, updateField, query, isMulti) {
    const variables = context.documentField('c', statement) ?? context.documentField('let');
    return compileUpdate({
        filter: query.filter,
        update: statement[updateField],
        arrayFilters: statement['arrayFilters'],
        variables: evaluateVariables(variables),
        isMulti,
    }, query);
}
export function replaceDocument(context, collection, record, change) {
    const document = change(record.document, { now: context.engine.now() });
    const bytes = toStoredBytes(document);
    const isModified = !bytes.equals(record.bytes);
    if (isModified)
        replaceRecord(context.view, collection, record.id, record.document, document, bytes);
    return { document, isModified };
}
export function upsert(context, collection, query, change, replaces) {
    return insertDocument(context, collection, upsertDocument(query.filter, change, replaces, context.engine.now()));
}
export function isReplacement(update) {
    return isDocument(update) && !Object.keys(update)[0]?.startsWith('$');
}
//# sourceMappingURL=write-commands.js.map