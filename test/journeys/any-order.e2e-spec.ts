import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { AccountModel } from '../support/any-order/model.js';
import { anyCommands, BEGINNING } from '../support/any-order/story.js';
import { AccountWorld } from '../support/any-order/world.js';

/** How many stories; `STORIES=1000` looks further. */
const STORIES = Number(process.env['STORIES'] ?? 20);
const COMMANDS = 40;

/**
 * Two instances on one database and one Redis, or one where there is no Redis. After each step of a story, what every token opens, on
 * every instance, is compared with what the rules say. A story that fails is made shorter until each of its steps is needed.
 */
describe('An account, whatever happens to it and in whatever order,', () => {
  let world: AccountWorld;
  beforeAll(async () => {
    world = await AccountWorld.open();
  });
  afterAll(() => world.close());

  it.each([
    ['one after the other', false],
    ['two at a time', true],
  ])('%s, is what the rules say', { timeout: 1_000 * COMMANDS * STORIES }, async (_how, isAtOnce) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(3), anyCommands({ maxCommands: COMMANDS, isAtOnce }), async (beginning, commands) => {
        const model = new AccountModel(`u_${randomBytes(6).toString('hex')}`, world.clock);
        // One of four begins with nobody.
        const story = beginning === 0 ? commands : [...BEGINNING, ...commands];
        await fc.asyncModelRun(() => ({ model: { models: [model] }, real: world }), story);
      }),
      { numRuns: STORIES },
    );
  });
});
