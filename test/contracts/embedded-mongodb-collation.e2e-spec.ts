import { beforeEach, describe, expect, it } from 'vitest';
import { Catalogue } from '../../src/infrastructure/database/embedded-mongodb/engine/catalogue.js';
import { catalogueKey } from '../../src/infrastructure/database/embedded-mongodb/storage/keys.js';
import { Overlay } from '../../src/infrastructure/database/embedded-mongodb/storage/view.js';
import { FOLDING, foldFor } from '../../src/infrastructure/database/embedded-mongodb/values/collation.js';
import { decode } from '../../src/infrastructure/database/embedded-mongodb/values/decode.js';
import { toBytes } from '../../src/infrastructure/database/embedded-mongodb/values/document.js';
import { driverSuite, SERVER, type Fields } from './embedded-mongodb-contract.js';

describe(`A collation on ${SERVER}`, () => {
  const suite = driverSuite();
  const fill = (...documents: Fields[]) => suite.things.insertMany(documents as never);
  const idsOf = async (filter: Fields, options = {}) =>
    (await suite.things.find(filter as never, options).toArray()).map(({ _id }) => _id);

  it.each([
    [{ strength: 1 }, ['cote', 'COTE', 'côte']],
    [{ strength: 2 }, ['cote', 'COTE']],
    [{ strength: 3 }, ['cote']],
  ])('of %j takes for equal what is', async (options, expected) => {
    await fill(...['cote', 'COTE', 'côte', 'coat'].map((_id) => ({ _id, s: _id })));
    const collation = { locale: 'fr', ...options };
    expect((await idsOf({ s: 'cote' }, { collation })).sort()).toEqual([...expected].sort());
  });

  it('sorts small before capital letters, and numbers by their value where told to', async () => {
    await fill(...['b', 'B', 'a', 'A', 'a10', 'a9'].map((_id) => ({ _id })));
    const sorted = (collation?: object) => idsOf({}, { sort: { _id: 1 }, collation });
    expect(await sorted()).toEqual(['A', 'B', 'a', 'a10', 'a9', 'b']);
    expect(await sorted({ locale: 'en' })).toEqual(['a', 'A', 'a10', 'a9', 'b', 'B']);
    expect(await sorted({ locale: 'en', numericOrdering: true })).toEqual(['a', 'A', 'a9', 'a10', 'b', 'B']);
    expect(await sorted({ locale: 'simple' })).toEqual(['A', 'B', 'a', 'a10', 'a9', 'b']);
  });

  it('sorts by letters first, then by accents, and by case last', async () => {
    const inOrder = ['cafe', 'Cafe', 'café', 'CAFÉ', 'caff'];
    await fill(...inOrder.toReversed().map((_id) => ({ _id })));
    expect(await idsOf({}, { sort: { _id: 1 }, collation: { locale: 'en' } })).toEqual(inOrder);
    expect(await idsOf({ _id: 'café'.normalize('NFD') }, { collation: { locale: 'en' } })).toEqual(['café']);
    const between = await idsOf({ _id: { $gte: 'café', $lt: 'caff' } }, { collation: { locale: 'en', strength: 2 } });
    expect(between.toSorted()).toEqual(['CAFÉ', 'café']);
  });

  it('sorts so whatever index there is', async () => {
    await fill(...['b', 'B', 'a', 'A'].map((s, _id) => ({ _id, s })));
    await suite.things.createIndex({ s: 1 });
    const sorted = async (collation?: object) =>
      (await suite.things.find({}, { sort: { s: 1 }, limit: 3, collation } as never).toArray()).map(({ s }) => s);
    expect(await sorted({ locale: 'en' })).toEqual(['a', 'A', 'b']);
    expect(await sorted()).toEqual(['A', 'B', 'a']);
  });

  it('of a collection is that of its ids, too', async () => {
    const collation = { locale: 'en', strength: 2 };
    const name = `${suite.things.collectionName}-folded`;
    const folded = await suite.connection.createCollection<{ _id: string }>(name, { collation });
    await folded.insertOne({ _id: 'a' });
    await expect(folded.insertOne({ _id: 'A' })).rejects.toMatchObject({ code: 11000 });
    expect(await folded.findOne({ _id: 'A' })).toEqual({ _id: 'a' });
    expect(JSON.stringify(await folded.find({ _id: 'A' }).explain('queryPlanner'))).not.toContain('COLLSCAN');
    expect(await folded.findOne({ _id: 'A' }, { collation: { locale: 'simple' } })).toBeNull();
    await folded.createIndex({ _id: 1 });
    expect(await folded.indexes()).toHaveLength(1);
  });

  it('compares within expressions as it does within filters', async () => {
    const collation = { locale: 'en', strength: 2 };
    await fill({ _id: 1, s: 'Ab', t: 'aB' }, { _id: 2, s: 'AC', t: 'AB' }, { _id: 3, s: 'ab' });
    expect(await idsOf({ $expr: { $eq: ['$s', 'ab'] } }, { collation })).toEqual([1, 3]);
    expect(await idsOf({ $expr: { $in: ['$s', ['AB', 'x']] } }, { collation })).toEqual([1, 3]);
    expect(await idsOf({ $expr: { $lt: ['$s', '$t'] } }, { collation })).toEqual([]);
    expect(await idsOf({ $expr: { $lt: ['$s', '$t'] } })).toEqual([1]);

    const aggregate = (...stages: object[]) => suite.things.aggregate(stages, { collation }).toArray();
    expect(await aggregate({ $match: { $expr: { $eq: ['$s', '$t'] } } })).toMatchObject([{ _id: 1 }]);
    const extremes = { _id: null, least: { $min: '$s' }, most: { $max: '$s' }, all: { $addToSet: '$s' } };
    const [group] = await aggregate({ $sort: { _id: 1 } }, { $group: extremes });
    expect(group).toMatchObject({ least: 'Ab', most: 'AC' });
    expect(new Set(group?.['all'] as string[])).toEqual(new Set(['AC', 'Ab']));
    const pipeline = [{ $match: { $expr: { $eq: ['$t', '$$s'] } } }];
    const joined = { from: suite.things.collectionName, let: { s: '$s' }, pipeline, as: 'found' };
    const pairs = await aggregate({ $lookup: joined }, { $project: { found: '$found._id' } }, { $sort: { _id: 1 } });
    expect(pairs.map(({ found }) => (found as number[]).toSorted())).toEqual([[1, 2], [], [1, 2]]);
    const limits = { groupBy: '$s', boundaries: ['AA', 'AC', 'AD'] };
    expect(await aggregate({ $bucket: limits })).toEqual([
      { _id: 'AA', count: 2 },
      { _id: 'AC', count: 1 },
    ]);

    await suite.things.updateMany({}, [{ $set: { isAb: { $eq: ['$s', 'AB'] } } }], { collation });
    expect(await idsOf({ isAb: true })).toEqual([1, 3]);
  });
});

describe('An index with a collation', () => {
  const collation = { locale: 'en', strength: 2 };
  let view: Overlay;
  beforeEach(() => {
    view = new Overlay({ get: () => undefined, range: () => [] });
    const catalogue = new Catalogue(view);
    const index = { key: { s: 1 }, name: 's_1', collation };
    catalogue.createIndexes(view, catalogue.create(view, 'test', 'things'), [index]);
  });
  const foldOf = () => new Catalogue(view).find('test.things')?.indexes[1]?.fold;
  /** As another version would have stored it. */
  const storeAs = (version: Fields) => {
    const stored = decode(view.get(catalogueKey('test.things')) as Buffer);
    const indexes = (stored['indexes'] as Fields[]).map(({ folding: _folding, ...kept }) => ({ ...kept, ...version }));
    view.put(catalogueKey('test.things'), toBytes({ ...stored, indexes }));
  };

  it('that an older version stored keeps the order of its keys, and is not taken for one in the order of today', () => {
    expect(foldOf()).toBe(foldFor(collation));
    storeAs({});
    expect(foldOf()).not.toBe(foldFor(collation));
    expect(foldOf()?.('É')).toBe('é');
  });

  it('that a newer version stored is refused: keys of another form would be lost in it', () => {
    storeAs({ folding: FOLDING + 1 });
    expect(foldOf).toThrow('things has indexes of a newer release');
  });
});
