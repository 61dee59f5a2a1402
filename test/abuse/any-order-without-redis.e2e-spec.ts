import { afterAll, beforeAll, describe, it } from 'vitest';
import { redisUrl } from '../support/backends.js';
import { playStories, TIMEOUT_MS } from '../support/any-order/stories.js';
import { AccountWorld } from '../support/any-order/world.js';

describe.skipIf(!redisUrl())('An account, while Redis comes and goes', () => {
  let world: AccountWorld;
  beforeAll(async () => {
    world = await AccountWorld.open({ hasOutages: true });
  });
  afterAll(() => world.close());

  it('is what the rules say', { timeout: TIMEOUT_MS }, () => playStories(world, 'with outages'));
});
