import { describe, expect, it } from 'vitest';
import { driverSuite, type Fields, SERVER } from './embedded-mongodb-contract.js';

const MATRIX = {
  a: [
    [6, 7],
    [8, 9],
  ],
};
const ROW = { a: [{ b: 1 }, { c: 2 }] };

/** As MongoDB's own tests of its matcher have it (path_test.cpp: ArrayIndex2 and 3, ArrayIndexNested1). */
describe(`A position in the path of a filter on ${SERVER}`, () => {
  const suite = driverSuite();

  it.each<[Fields, Fields, boolean]>([
    [MATRIX, { 'a.1': [8, 9] }, true],
    [MATRIX, { 'a.1': 8 }, false],
    [MATRIX, { 'a.1': { $gt: 8 } }, false],
    [MATRIX, { 'a.1': { $in: [8] } }, false],
    [MATRIX, { 'a.1': { $all: [8] } }, false],
    [MATRIX, { 'a.1': { $ne: 8 } }, true],
    [MATRIX, { 'a.1': { $type: 'number' } }, false],
    [MATRIX, { 'a.1': { $type: 'array' } }, true],
    [MATRIX, { 'a.1': { $size: 2 } }, true],
    [MATRIX, { 'a.1': { $size: 1 } }, false],
    [MATRIX, { 'a.1': { $elemMatch: { $gt: 8 } } }, true],
    [MATRIX, { 'a.1': { $elemMatch: { $gt: 9 } } }, false],
    [MATRIX, { 'a.1.0': 8 }, true],
    [MATRIX, { 'a.1.0': 9 }, false],
    [MATRIX, { 'a.2': { $exists: false } }, true],
    [MATRIX, { 'a.1': { $exists: true } }, true],
    [ROW, { 'a.0.b': 1 }, true],
    [ROW, { 'a.1': null }, true],
    [ROW, { 'a.1': { $ne: null } }, false],
    [ROW, { 'a.1': { c: 2 } }, true],
    [{ a: [{ b: 1 }] }, { 'a.0.b': null }, true],
    [{ a: [{ b: 1 }] }, { 'a.0.b': { $in: [null, 5] } }, true],
    [{ a: [5] }, { 'a.0.b': null }, false],
    [{ a: [5] }, { 'a.0.b': { $ne: null } }, true],
    [{ a: [{ 0: 'x' }] }, { 'a.0': 'x' }, true],
    [{ a: { 0: [1, 2] } }, { 'a.0': 2 }, true],
  ])('%j: %j', async (document, filter, isMatch) => {
    await suite.things.insertOne({ ...document });
    expect(await suite.things.countDocuments(filter)).toBe(Number(isMatch));
    for (const path of Object.keys(filter)) await suite.things.createIndex({ [path]: 1 });
    expect(await suite.things.countDocuments(filter)).toBe(Number(isMatch));
  });
});
