import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { AccountModel } from './model.js';
import { anyCommands, BEGINNING } from './story.js';
import type { AccountWorld } from './world.js';

/** How many stories; `STORIES=1000` looks further. */
const STORIES = Number(process.env['STORIES'] ?? 20);
const COMMANDS = 40;

/** For all of them, on a slow machine. */
export const TIMEOUT_MS = 1_000 * COMMANDS * STORIES;

/**
 * Plays stories, and compares after each step what every token opens, on every instance, with what the rules say. A story that fails
 * is made shorter until each of its steps is needed.
 */
export async function playStories(world: AccountWorld, how: Parameters<typeof anyCommands>[0]): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.nat(3), anyCommands(how, COMMANDS), async (beginning, commands) => {
      const model = new AccountModel(`u_${randomBytes(6).toString('hex')}`, world.clock);
      // One of four begins with nobody.
      const story = beginning === 0 ? commands : [...BEGINNING, ...commands];
      await fc.asyncModelRun(() => ({ model: { models: [model] }, real: world }), story);
    }),
    { numRuns: STORIES },
  );
}
