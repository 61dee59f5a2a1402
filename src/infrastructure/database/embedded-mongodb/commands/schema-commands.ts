import { CommandError, unsupported } from '../command-error.js';
import { indexesFor, type Collection, type IndexDefinition } from '../engine/indexes.js';
import { compileFilter } from '../query/filter.js';
import { isTruthy } from '../values/numbers.js';
import { checkCollation, foldFor } from '../values/collation.js';
import { toBytes, type Document } from '../values/document.js';
import { equal } from '../values/order.js';
import type { CommandContext } from './command-context.js';
import { firstBatch } from './read-commands.js';

export const REFUSED_OPTIONS: Record<string, string> = {
  capped: 'A capped collection',
  timeseries: 'A time series collection',
  viewOn: 'A view',
  validator: 'A collection validator',
  clusteredIndex: 'A clustered collection',
  expireAfterSeconds: 'A collection that expires as a whole',
  changeStreamPreAndPostImages: 'Change stream images',
  encryptedFields: 'Queryable encryption',
};

export function create(context: CommandContext): Document {
  for (const [option, feature] of Object.entries(REFUSED_OPTIONS)) {
    if (![undefined, false, null].includes(context.command[option] as undefined)) throw unsupported(feature);
  }
  const { collation } = context.command;
  checkCollation(collation);
  foldFor(collation);
  const options = collation === undefined ? {} : { collation };
  const { catalogue } = context.engine;
  const known = catalogue.find(context.namespace);
  if (known && !equal(known.options, options)) {
    throw new CommandError(48, `namespace ${context.namespace} already exists, but with different options`);
  }
  if (!known) catalogue.create(context.view, context.database, context.collectionName, options);
  return { ok: 1 };
}

export function drop(context: CommandContext): Document {
  const { catalogue } = context.engine;
  const collection = catalogue.find(context.namespace);
  if (!collection) return { ok: 1 };
  catalogue.drop(context.view, collection);
  return { nIndexesWas: collection.indexes.length, ns: collection.namespace, ok: 1 };
}

export function dropDatabase({ engine: { catalogue }, view, database }: CommandContext): Document {
  for (const collection of catalogue.inDatabase(database)) catalogue.drop(view, collection);
  return { dropped: database, ok: 1 };
}

export function listCollections(context: CommandContext): Buffer {
  const collections = context.engine.catalogue.inDatabase(context.database);
  const described = collections.map(({ name, options, indexes: [idIndex] }): Document => {
    return { name, type: 'collection', options, info: { readOnly: false }, idIndex: idIndex?.specification };
  });
  const listed = described.filter(compileFilter(context.documentField('filter') ?? {}));
  const shown = context.flag('nameOnly') ? listed.map(({ name, type }) => ({ name, type })) : listed;
  return firstBatch(context, shown.map(toBytes), { namespace: `${context.database}.$cmd.listCollections` });
}

/** Sizes are not measured, since all databases share one file. */
export function listDatabases(context: CommandContext): Document {
  const names = new Set(context.engine.catalogue.all().map(({ database }) => database));
  const databases = [...names].sort().map((name) => ({ name, sizeOnDisk: 0, empty: false }));
  const listed = databases.filter(compileFilter(context.documentField('filter') ?? {}));
  if (context.flag('nameOnly')) return { databases: listed.map(({ name }) => ({ name })), ok: 1 };
  return { databases: listed, totalSize: 0, ok: 1 };
}

export function createIndexes(context: CommandContext): Document {
  const specifications = context.documentsField('indexes');
  if (specifications.length === 0) throw new CommandError(2, 'Must specify at least one index to create');
  if (specifications.some(({ hidden }) => isTruthy(hidden))) throw unsupported('A hidden index', 67);
  const { catalogue } = context.engine;
  const known = catalogue.find(context.namespace);
  const before = known ?? catalogue.create(context.view, context.database, context.collectionName);
  const after = catalogue.createIndexes(context.view, before, specifications);
  return {
    numIndexesBefore: before.indexes.length,
    numIndexesAfter: after.indexes.length,
    createdCollectionAutomatically: !known,
    ok: 1,
  };
}

export function dropIndexes(context: CommandContext): Document {
  const collection = existing(context);
  const dropped = [context.command.index].flat().flatMap((wanted) => chosen(collection, wanted));
  context.engine.catalogue.dropIndexes(context.view, collection, dropped);
  return { nIndexesWas: collection.indexes.length, ok: 1 };
}

function chosen(collection: Collection, wanted: unknown): IndexDefinition[] {
  if (wanted === '*') return collection.indexes.slice(1);
  const [index, another] = indexesFor(collection, wanted);
  if (!index) throw new CommandError(27, `index not found with name [${String(wanted)}]`);
  if (another) throw new CommandError(181, 'several indexes found for the key, identify one by name instead');
  if (index === collection.indexes[0]) throw new CommandError(72, 'cannot drop _id index');
  return [index];
}

export function listIndexes(context: CommandContext): Buffer {
  const listed = existing(context).indexes.map(({ specification }) => toBytes(specification));
  return firstBatch(context, listed);
}

function existing(context: CommandContext): Collection {
  const collection = context.engine.catalogue.find(context.namespace);
  if (!collection) throw new CommandError(26, `ns does not exist: ${context.namespace}`);
  return collection;
}
