import { withDeadline } from '../clock/index.js';
import { ApiError } from '../errors/index.js';

/** Has work with the same key run one after the other, in this process. */
export class Turns {
  /** The end of the queue of each key. */
  private readonly queues = new Map<string, Promise<unknown>>();

  /** @param startWithinMs whoever waits longer for its turns is refused */
  constructor(private readonly startWithinMs: number) {}

  /**
   * @param keys of several, it waits in one queue after the other; work that has two of them in common must name them in the same
   *   order
   * @param rest how long its queues rest afterwards
   * @throws ApiError `service_unavailable` if its turn does not come in time
   */
  async take<T>(keys: string[], work: () => Promise<T>, rest: () => Promise<void> = atOnce): Promise<T> {
    const lastStartMs = performance.now() + this.startWithinMs;
    return keys.reduceRight((next, key) => () => this.wait(key, lastStartMs, next, rest), work)();
  }

  private async wait<T>(
    key: string,
    lastStartMs: number,
    work: () => Promise<T>,
    rest: () => Promise<void>,
  ): Promise<T> {
    const before = this.queues.get(key) ?? Promise.resolve();
    const own = inTime(before, lastStartMs - performance.now()).then(work);
    // Also where its turn came too late: the next one waits for those before.
    const end = Promise.allSettled([before, own]).then(rest);
    this.queues.set(key, end);
    void end.then(() => this.queues.get(key) === end && this.queues.delete(key));
    return own;
  }
}

/** @throws ApiError `service_unavailable` */
function inTime(turn: Promise<unknown>, withinMs: number): Promise<unknown> {
  return withDeadline(turn, withinMs).catch(() => {
    throw new ApiError('service_unavailable');
  });
}

async function atOnce(): Promise<void> {}
