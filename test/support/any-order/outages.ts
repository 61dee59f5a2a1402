import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import type { TcpProxy } from '../tcp-proxy.js';
import { type Command, keepExplained, type Possible } from './command.js';
import type { AccountWorld } from './world.js';

/** What may happen to the way to Redis. */
const EVENTS: Record<string, (redis: TcpProxy) => void> = {
  'Redis is gone': (redis) => redis.cut(),
  'Redis is back': (redis) => redis.restore(),
  'connections to Redis are closed': (redis) => redis.shake('closed'),
  'connections to Redis are reset': (redis) => redis.shake('reset'),
};

/** A step during which something happens to Redis. It must make no difference. */
class Disturbed implements fc.AsyncCommand<Possible, AccountWorld> {
  constructor(
    private readonly command: Command,
    private readonly event: string,
    private readonly afterMs: number,
  ) {}

  check(possible: Possible): boolean {
    return this.command.check(possible);
  }

  async run(possible: Possible, world: AccountWorld): Promise<void> {
    const disturb = async () => {
      await setTimeout(this.afterMs);
      EVENTS[this.event]?.(world.redis as TcpProxy);
    };
    const [asked] = await Promise.all([this.command.ask(possible, world), disturb()]);
    await keepExplained(possible, [[asked]], world);
  }

  toString(): string {
    return `(${String(this.command)}, and ${this.event} after ${this.afterMs} ms)`;
  }
}

/** Such steps, of any of these. */
export const disturbed = (steps: fc.Arbitrary<Command>) =>
  fc
    .tuple(steps, fc.constantFrom(...Object.keys(EVENTS)), fc.nat(8))
    .map(([step, event, afterMs]) => new Disturbed(step, event, afterMs));
