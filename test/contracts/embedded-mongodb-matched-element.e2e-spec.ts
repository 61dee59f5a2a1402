import { describe, expect, it } from 'vitest';
import { driverSuite, type Fields, SERVER } from './embedded-mongodb-contract.js';

const ITEMS = { items: [{ s: 1 }, { s: 2 }, { s: 3 }], tags: ['x', 'y', 'z'] };
const KINDS = {
  items: [
    { s: 1, k: 'a' },
    { s: 2, k: 'b' },
    { s: 1, k: 'b' },
  ],
};

/**
 * MongoDB remembers one index: that of the condition which its matcher evaluates last, in the outermost array on the path
 * (expression.h: MatchType; path_test.cpp; expression_array_test.cpp).
 */
describe(`The element that \`$\` stands for on ${SERVER}`, () => {
  const suite = driverSuite();

  it.each<[Fields, Fields, string, number | undefined]>([
    // Conditions of a kind: by path. Of one path: as they are written.
    [{ a: [1, 2, 3], b: [4, 5, 6] }, { a: 3, b: 5 }, 'a.$', 1],
    [{ a: [1, 2, 3], b: [4, 5, 6] }, { b: 5, a: 3 }, 'a.$', 1],
    [{ a: [1, 2], b: [1, 2] }, { b: 2, a: 1 }, 'a.$', 1],
    [ITEMS, { 'items.s': 3, tags: 'x' }, 'items.$.s', 0],
    [KINDS, { 'items.k': 'b', 'items.s': 1 }, 'items.$.s', 0],
    [KINDS, { 'items.s': 1, 'items.k': 'b' }, 'items.$.s', 0],
    [{ a: [1, 2, 3] }, { $and: [{ a: 2 }, { a: 3 }, { a: 1 }] }, 'a.$', 0],
    [{ a: [1, 2, 3] }, { a: { $all: [1, 3] } }, 'a.$', 2],
    // Conditions of several kinds: `$in` after `$gt` after equality after `$elemMatch`.
    [{ a: [1, 2, 3], b: [4, 5, 6] }, { a: { $gt: 2 }, b: 5 }, 'b.$', 2],
    [{ a: [1, 2, 3], b: [4, 5, 6] }, { a: { $in: [1, 7] }, b: { $gt: 4 } }, 'b.$', 0],
    // One value or pattern of an `$in` is compared by itself.
    [{ a: [1, 2, 3], b: [4, 5, 6] }, { a: { $in: [1] }, b: { $gt: 4 } }, 'b.$', 1],
    [{ a: ['x', 'y'], b: [4, 5, 6] }, { a: { $in: [/y/] }, b: { $in: [4, 6] } }, 'b.$', 0],
    // What asks elements for fields comes before what asks for elements themselves.
    [
      { i: [{ k: 1 }, { k: 2 }, { k: 3 }], c: [1, 9] },
      { i: { $elemMatch: { k: 3 } }, c: { $elemMatch: { $gt: 5 } } },
      'c.$',
      1,
    ],
    [{ z: [{ k: 1 }, { k: 3 }], c: [9, 1] }, { z: { $elemMatch: { k: 3 } }, c: { $elemMatch: { $gt: 5 } } }, 'c.$', 0],
    [{ a: [1, 2, 3], b: [4, 5, 6] }, { b: { $elemMatch: { $gt: 5 } }, a: 2 }, 'a.$', 1],
    [{ a: ['x', 'Yes', 'yes'] }, { a: { $regex: '^y', $options: 'i' } }, 'a.$', 1],
    [{ a: ['x', 'Yes', 'yes'] }, { a: /^y/ }, 'a.$', 2],
    // Arrays within arrays: the outermost.
    [{ a: [{ b: [1, 2] }, { b: [3, 4] }] }, { 'a.b': 4 }, 'a.$.c', 1],
    [{ a: [{ b: [1, 2] }, { b: [3, 4] }] }, { 'a.b': { $elemMatch: { $gt: 3 } } }, 'a.$.c', 1],
    [{ o: { a: [1, 2] } }, { 'o.a': 2 }, 'o.a.$', 1],
    // A number is a name, too.
    [{ a: [{ 1: 'x' }, { 1: 'y' }, {}] }, { 'a.1': 'y' }, 'a.$.z', 1],
    [{ a: [{ b: [5, 6] }] }, { 'a.0.b': 6 }, 'a.0.b.$', 1],
    // Alternatives for one field are an `$in`.
    [{ a: [1, 2, 3] }, { $or: [{ a: 3 }, { a: 2 }] }, 'a.$', 1],
    [{ a: [1, 2, 3] }, { $or: [{ a: { $gt: 2 } }] }, 'a.$', 2],
    [{ a: ['x', 'y'] }, { $or: [{ a: 'z' }, { a: /y/ }] }, 'a.$', 1],
    // Nothing is kept of these.
    [{ a: [1, 2] }, { $or: [{ a: 1 }, { a: 2, s: { $ne: 'z' } }] }, 'a.$', undefined],
    [{ a: [1, 2] }, { $or: [{ a: 2 }, { a: { $in: [7, 8] } }] }, 'a.$', undefined],
    [{ s: 'x', a: [1, 2] }, { $or: [{ s: 'y' }, { a: { $gt: 1 } }] }, 'a.$', undefined],
    [{ a: [1, 2] }, { $or: [{ a: 1 }, { a: { $gt: 1 } }] }, 'a.$', undefined],
    [{ a: [{ k: 1 }] }, { 'a.k': { $ne: 5 } }, 'a.$.z', undefined],
    [{ a: [1, 2] }, { a: { $not: { $gt: 5 } } }, 'a.$', undefined],
    [{ a: [1, 2] }, { a: { $size: 2 } }, 'a.$', undefined],
    [{ a: [1, 2] }, { a: [1, 2] }, 'a.$', undefined],
    [{ a: [1, 2] }, { 'a.1': 2 }, 'a.$', undefined],
  ])('%j, found by %j: %s is %s', async (document, filter, path, index) => {
    await suite.things.insertOne({ ...document });
    const update = suite.things.updateOne(filter, { $set: { [path]: 'changed' } });
    if (index === undefined) {
      await expect(update).rejects.toMatchObject({ code: 2 });
      return;
    }
    await update;
    const changed = path.replace('$', String(index));
    const query = { [changed]: 'changed' };
    expect(await suite.things.findOne(query), JSON.stringify(await suite.things.findOne())).not.toBeNull();
  });

  it.each<[Fields, Fields, string, Fields | number]>([
    [
      {
        a: [
          { b: 1, c: 1 },
          { b: 2, c: 2 },
        ],
      },
      { 'a.b': 2 },
      'a.b.$',
      { a: [{ b: 2 }] },
    ],
    [
      {
        g: {
          a: [
            { b: [1, 2], c: 1 },
            { b: [3, 4], c: 2 },
          ],
        },
      },
      { 'g.a.c': 2 },
      'g.a.b.$',
      { g: { a: [{ b: [3, 4] }] } },
    ],
    [{ g: { a: [1, 2], x: 3 } }, { 'g.a': 2 }, 'g.a.$', { g: { a: [2] } }],
    [{ a: [1, 2, 3] }, { $and: [{ a: 2 }, { a: 3 }, { a: 1 }] }, 'a.$', { a: [1] }],
    [{ a: [1, 2, 3], b: [1] }, { b: 1 }, 'a.$', { a: [1] }],
    [{ s: 'x', a: [1, 2] }, { $or: [{ s: 'x' }, { a: 2 }] }, 'a.$', 51246],
    [{ a: [1], b: [1, 2] }, { b: 2 }, 'a.$', 51247],
  ])('%j, found by %j, shown by %s, is %j', async (document, filter, path, shown) => {
    await suite.things.insertOne({ ...document });
    const found = suite.things.findOne(filter, { projection: { _id: 0, [path]: 1 } });
    if (typeof shown === 'number') await expect(found).rejects.toMatchObject({ code: shown });
    else expect(await found).toEqual(shown);
  });

  it('is no element to leave out', async () => {
    await suite.things.insertOne({ a: [1, 2] });
    for (const projection of [{ 'a.$': 0 }, { b: 1, 'a.$': 0 }] as Fields[])
      await expect(suite.things.findOne({ a: 1 }, { projection })).rejects.toMatchObject({ code: 31395 });
  });
});
