import { CommandError, unsupported } from '../command-error.js';
import { createIndexes, dropIndexes } from '../engine/index-builder.js';
import { defineIndex } from '../engine/index-definition.js';
import { isDocument, toBytes } from '../values/document.js';
import { encode } from '../values/order.js';
import { firstBatch } from './read-commands.js';
export const indexCommands = {
    createIndexes: { kind: 'schema', run: create },
    dropIndexes: { kind: 'schema', run: drop },
    collMod: { kind: 'schema', run: modify },
    listIndexes: { kind: 'control', run: list },
};
function create(context) {
    const specifications = context.command['indexes'];
    if (!Array.isArray(specifications) || specifications.length === 0 || !specifications.every(isDocument)) {
        throw new CommandError(2, 'Must specify at least one index to create');
    }
    const { catalogue } = context.engine;
    const known = catalogue.find(context.namespace);
    const before = known ?? catalogue.create(context.view, context.database, context.collectionName);
    const after = createIndexes(context.view, catalogue, before, specifications);
    return {
        numIndexesBefore: before.indexes.length,
        numIndexesAfter: after.indexes.length,
        createdCollectionAutomatically: !known,
        ok: 1,
    };
}
function drop(context) {
    const collection = existing(context);
    const wanted = context.command['index'];
    const dropped = [wanted].flat().flatMap((one) => chosen(collection, one));
    dropIndexes(context.view, context.engine.catalogue, collection, dropped);
    return { nIndexesWas: collection.indexes.length, ok: 1 };
}
function chosen(collection, wanted) {
    if (wanted === '*')
        return collection.indexes.filter(({ name }) => name !== '_id_');
    const index = collection.indexes.find(({ name, specification }) => isDocument(wanted) ? encode(wanted).equals(encode(specification['key'])) : name === wanted);
    if (!index)
        throw new CommandError(27, `index not found with name [${String(wanted)}]`);
    if (index.name === '_id_')
        throw new CommandError(72, 'cannot drop _id index');
    return [index];
}
/** Hides an index or changes how long documents live by it; everything else about a collection is fixed. */
function modify(context) {
    const collection = existing(context);
    const given = context.documentField('index');
    const others = Object.keys(context.command).filter((key) => !['collMod', 'index', 'lsid', 'writeConcern', 'txnNumber', 'comment'].includes(key) && !key.startsWith('$'));
    if (!given || others.length > 0)
        throw unsupported(`collMod of ${others.join(', ') || 'nothing'}`);
    const [index] = chosen(collection, given['name'] ?? given['keyPattern']);
    const { name: _name, keyPattern: _keyPattern, ...changes } = given;
    const unknown = Object.keys(changes).find((key) => !['hidden', 'expireAfterSeconds'].includes(key));
    if (!index || unknown)
        throw unsupported(`collMod of the index option ${unknown}`);
    const changed = defineIndex(index.id, { ...index.specification, ...changes });
    const indexes = collection.indexes.map((one) => (one === index ? changed : one));
    context.engine.catalogue.save(context.view, { ...collection, indexes });
    return { ok: 1 };
}
function list(context) {
    const specifications = existing(context).indexes.map((index) => toBytes(index.specification));
    return firstBatch(context, specifications, undefined, false, context.namespace);
}
function existing(context) {
    const collection = context.engine.catalogue.find(context.namespace);
    if (!collection)
        throw new CommandError(26, `ns does not exist: ${context.namespace}`);
    return collection;
}
//# sourceMappingURL=index-commands.js.map