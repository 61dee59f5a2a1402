import { afterAll, beforeAll, describe, it } from 'vitest';
import { playStories, TIMEOUT_MS } from '../support/any-order/stories.js';
import { AccountWorld } from '../support/any-order/world.js';

/** Two instances on one database and one Redis, or one where there is no Redis. */
describe('An account, whatever happens to it and in whatever order,', () => {
  let world: AccountWorld;
  beforeAll(async () => {
    world = await AccountWorld.open();
  });
  afterAll(() => world.close());

  it.each(['one at a time', 'two at a time'] as const)('%s, is what the rules say', { timeout: TIMEOUT_MS }, (how) =>
    playStories(world, how),
  );
});
