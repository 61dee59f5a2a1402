import cluster from 'node:cluster';
import { withDeadline } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import type { FromMember, Reading, ToMember } from './cluster-messages.js';

/** Longer than the slowest of the processes is waited for, shorter than Prometheus waits (10 s). */
const ANSWER_DEADLINE_MS = 5_000;

/** A process among several: tells its metrics when asked, and asks for those of all. */
export class ClusterMember {
  /** Whether {@link ClusterMetrics} collects; a process manager that uses Node's cluster, too, does not. */
  isOne = false;
  private questions = 0;
  private readonly answers = new Map<number, (text: string) => void>();

  constructor(private readonly read: () => Promise<Reading>) {
    if (!cluster.isWorker) return;
    process.on('message', (message: ToMember) => this.hear(message));
    tell({ metrics: 'join' });
  }

  /** @throws ApiError `service_unavailable` when the primary process is silent: figures of this one alone would be too low. */
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

  private hear(message: ToMember): void {
    if (message.metrics === 'joined') this.isOne = true;
    if (message.metrics === 'read') void this.tellReading();
    if (message.metrics === 'answer') this.answers.get(message.question)?.(message.text);
  }

  private async tellReading(): Promise<void> {
    // A metric that cannot be read must not end the process; without an answer it passes for busy.
    const reading = await this.read().catch(() => null);
    if (reading) tell({ metrics: 'reading', reading });
  }
}

/** Without a word about a closed channel: the process ends by it. */
function tell(message: FromMember): void {
  process.send?.(message, undefined, undefined, () => undefined);
}
