import cluster from 'node:cluster';
import { withDeadline } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import type { FromMember, Reading, ToMember } from './cluster-messages.js';

/** Longer than the primary waits for the slowest process (3 s), shorter than any request may take (4.5 s). */
const ANSWER_DEADLINE_MS = 4_000;

/** One process of a cluster: reports its metrics to the primary process, and asks it for those of all. */
export class ClusterMember {
  /** Whether the primary process collects metrics ({@link ClusterMetrics}); process managers built on Node's cluster do not. */
  isOne = false;
  private questions = 0;
  private readonly answers = new Map<number, (text: string) => void>();

  constructor(private readonly read: () => Promise<Reading>) {
    if (!cluster.isWorker) return;
    process.on('message', (message: ToMember) => this.onMessage(message));
    tell({ metrics: 'join' });
  }

  /** @throws ApiError `service_unavailable` if the primary process does not answer: this process alone would report too little */
  async readAll(): Promise<string> {
    const question = (this.questions += 1);
    const answer = new Promise<string>((resolve) => this.answers.set(question, resolve));
    tell({ metrics: 'ask', question });
    try {
      return await withDeadline(answer, ANSWER_DEADLINE_MS);
    } catch (cause) {
      throw new ApiError('service_unavailable', { cause });
    } finally {
      this.answers.delete(question);
    }
  }

  private onMessage(message: ToMember): void {
    if (message.metrics === 'joined') this.isOne = true;
    if (message.metrics === 'read') void this.tellReading();
    if (message.metrics === 'answer') this.answers.get(message.question)?.(message.text);
  }

  private async tellReading(): Promise<void> {
    // A metric that cannot be read must not end the process.
    tell({ metrics: 'reading', reading: await this.read().catch(() => null) });
  }
}

/** A closed channel is ignored: the process ends when it closes. */
function tell(message: FromMember): void {
  process.send?.(message, undefined, undefined, () => undefined);
}
