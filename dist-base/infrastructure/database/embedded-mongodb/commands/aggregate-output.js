import { CommandError, unsupported } from '../command-error.js';
import { findRecords } from '../engine/find.js';
import { createIndexes, dropCollection } from '../engine/index-builder.js';
import { leaves } from '../query/leaves.js';
import { decode } from '../values/decode.js';
import { isDocument } from '../values/document.js';
import { insertDocument, replaceDocument } from './write-commands.js';
/** Writes the results of a pipeline where its last stage, $out or $merge, says. */
export function writeOutput(context, results, stage) {
    const documents = results.map(decode);
    if ('$out' in stage)
        replaceCollection(context, target(context, stage['$out']), documents);
    else
        merge(context, stage['$merge'], documents);
}
function target(context, value) {
    if (typeof value === 'string')
        return { database: context.database, name: value };
    if (isDocument(value) && typeof value['coll'] === 'string') {
        return { database: typeof value['db'] === 'string' ? value['db'] : context.database, name: value['coll'] };
    }
    throw new CommandError(16990, 'The output collection must be a string or {db, coll}');
}
function replaceCollection(context, { database, name }, documents) {
    const { catalogue } = context.engine;
    const before = catalogue.find(`${database}.${name}`);
    if (before)
        dropCollection(context.view, catalogue, before);
    let collection = catalogue.create(context.view, database, name, before?.options);
    const indexes = before?.indexes.slice(1).map((index) => index.specification) ?? [];
    collection = createIndexes(context.view, catalogue, collection, indexes);
    for (const document of documents)
        insertDocument(context, collection, document);
}
function merge(context, operand, documents) {
    const options = isDocument(operand) && 'into' in operand ? operand : { into: operand };
    const { whenMatched = 'merge', whenNotMatched = 'insert' } = options;
    if (typeof whenMatched !== 'string')
        throw unsupported('$merge with a pipeline in whenMatched');
    const { database, name } = target(context, options['into']);
    const { catalogue } = context.engine;
    const collection = catalogue.find(`${database}.${name}`) ?? catalogue.create(context.view, database, name);
    const on = [options['on'] ?? '_id'].flat();
    for (const document of documents)
        mergeDocument(context, collection, document, on, whenMatched, whenNotMatched);
}
function mergeDocument(context, collection, document, on, whenMatched, whenNotMatched) {
    const keyValue = Object.fromEntries(on.map((path) => [path, leaves(document, path.split('.'))[0] ?? null]));
    const filter = Object.fromEntries(on.map((path) => [path, { $eq: keyValue[path] }]));
    const [known] = '_id' in document || !on.includes('_id') ? findRecords(context.view, collection, { filter, limit: 1 }) : [];
    if (!known) {
        if (whenNotMatched === 'fail')
            throw new CommandError(13113, '$merge could not find a matching document in the target collection');
        if (whenNotMatched === 'insert')
            insertDocument(context, collection, document);
        return;
    }
    if (whenMatched === 'fail') {
        const keyPattern = Object.fromEntries(on.map((path) => [path, 1]));
        const message = '$merge found a matching document in the target collection';
        throw new CommandError(11000, message, { keyPattern, keyValue });
    }
    if (whenMatched === 'keepExisting')
        return;
    const { _id: _ignored, ...fields } = document;
    const replaces = whenMatched === 'replace';
    replaceDocument(context, collection, known, (before) => replaces ? { _id: before['_id'], ...fields } : { ...before, ...fields });
}
//# sourceMappingURL=aggregate-output.js.map