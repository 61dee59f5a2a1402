import { CommandError, unsupported } from '../command-error.js';
import { dropCollection } from '../engine/index-builder.js';
import { compileFilter } from '../query/filter.js';
import { documentRange } from '../storage/keys.js';
import { foldFor } from '../values/collation.js';
import { toBytes } from '../values/document.js';
import { encode } from '../values/order.js';
import { firstBatch } from './read-commands.js';
export const collectionCommands = {
    create: { kind: 'schema', run: create },
    drop: { kind: 'schema', run: drop },
    dropDatabase: { kind: 'schema', run: dropDatabase },
    renameCollection: { kind: 'schema', run: rename },
    listCollections: { kind: 'control', run: listCollections },
    listDatabases: { kind: 'control', run: listDatabases },
};
const REFUSED_OPTIONS = {
    capped: 'A capped collection',
    timeseries: 'A time series collection',
    viewOn: 'A view',
    validator: 'A collection validator',
    clusteredIndex: 'A clustered collection',
    expireAfterSeconds: 'A collection that expires as a whole',
    changeStreamPreAndPostImages: 'Change stream images',
    encryptedFields: 'Queryable encryption',
};
function create(context) {
    const { collation } = context.command;
    for (const [option, feature] of Object.entries(REFUSED_OPTIONS)) {
        const value = context.command[option];
        if (value !== undefined && value !== false && value !== null)
            throw unsupported(feature);
    }
    foldFor(collation);
    const options = collation === undefined ? {} : { collation };
    const { catalogue } = context.engine;
    const known = catalogue.find(context.namespace);
    if (known && !encode(known.options).equals(encode(options))) {
        throw new CommandError(48, `namespace ${context.namespace} already exists, but with different options`);
    }
    if (!known)
        catalogue.create(context.view, context.database, context.collectionName, options);
    return { ok: 1 };
}
function drop(context) {
    const { catalogue } = context.engine;
    const collection = catalogue.find(context.namespace);
    if (!collection)
        return { ok: 1 };
    dropCollection(context.view, catalogue, collection);
    return { nIndexesWas: collection.indexes.length, ns: collection.namespace, ok: 1 };
}
function dropDatabase(context) {
    const { catalogue } = context.engine;
    for (const collection of catalogue.inDatabase(context.database))
        dropCollection(context.view, catalogue, collection);
    return { dropped: context.database, ok: 1 };
}
function rename(context) {
    const { renameCollection: from, to, dropTarget } = context.command;
    const { catalogue } = context.engine;
    const collection = catalogue.find(String(from));
    if (!collection)
        throw new CommandError(26, `Source collection ${String(from)} does not exist`);
    const [database = '', ...rest] = String(to).split('.');
    const target = catalogue.find(String(to));
    if (target && dropTarget !== true)
        throw new CommandError(48, 'target namespace exists');
    if (target)
        dropCollection(context.view, catalogue, target);
    catalogue.remove(context.view, collection);
    const name = rest.join('.');
    if (name === '')
        throw new CommandError(73, `Invalid target namespace: ${String(to)}`);
    catalogue.save(context.view, { ...collection, database, name, namespace: `${database}.${name}` });
    return { ok: 1 };
}
function listCollections(context) {
    const matches = compileFilter(context.documentField('filter') ?? {});
    const listed = context.engine.catalogue.inDatabase(context.database).map(describe).filter(matches);
    const shown = context.flag('nameOnly') ? listed.map(({ name, type }) => ({ name, type })) : listed;
    return firstBatch(context, shown.map(toBytes), undefined, false, `${context.database}.$cmd.listCollections`);
}
function describe({ name, options, indexes }) {
    return { name, type: 'collection', options, info: { readOnly: false }, idIndex: indexes[0]?.specification };
}
function listDatabases(context) {
    const names = [...new Set(context.engine.catalogue.all().map((collection) => collection.database))].sort();
    const listed = names.map((name) => {
        const bytes = context.engine.catalogue.inDatabase(name).map((collection) => sizeOf(context, collection));
        const sizeOnDisk = bytes.reduce((sum, size) => sum + size, 0);
        return { name, sizeOnDisk, empty: false };
    });
    const databases = listed.filter(compileFilter(context.documentField('filter') ?? {}));
    return { databases, totalSize: databases.reduce((sum, { sizeOnDisk }) => sum + sizeOnDisk, 0), ok: 1 };
}
function sizeOf(context, collection) {
    let size = 0;
    for (const { value } of context.view.range(...documentRange(collection.id)))
        size += value.length;
    return size;
}
//# sourceMappingURL=collection-commands.js.map