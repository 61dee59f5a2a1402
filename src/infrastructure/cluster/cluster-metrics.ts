import type { Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { withDeadline } from '../../common/clock/index.js';
import type { FromMember, Reading, ToMember } from './cluster-messages.js';

/** A process that can, answers within 2 s, the time that its metrics are given. */
const READING_DEADLINE_MS = 3_000;
/** By prom-client's declarations the types are numbers; they are words. */
const COUNTED = new Set<unknown>(['counter', 'histogram']);

interface Member {
  /** Its newest reading: what it said before it fell silent or died, too. */
  latest: Reading;
  /** Settles when it has answered or died. One at a time: two could overtake each other, and count backwards. */
  answering: Promise<void> | null;
  settle: () => void;
}

/**
 * The metrics of all processes as those of one, kept by the process that starts them: whichever answers a scrape asks here.
 *
 * Counters and histograms must never fall, or Prometheus takes it for a restart and counts all of what is left as new. So
 * a process that is too busy to answer counts with what it said last, and so does one that died, for ever; only what it
 * did after the scrape before its death is lost. Gauges are of those that answer. (prom-client's own collection fails
 * as a whole when one process does not answer, and forgets the dead.)
 */
export class ClusterMetrics {
  private readonly members = new Map<Worker, Member>();
  private ofTheDead: Reading = [];
  private rendering: Promise<string> | null = null;

  /** @param workers how many processes there are to be */
  constructor(private readonly workers: number) {}

  /** To be called right after the fork. */
  follow(worker: Worker): void {
    // Earlier it does not answer, and each scrape would wait for it.
    worker.once('listening', () => this.members.set(worker, { latest: [], answering: null, settle: () => undefined }));
    worker.on('message', (message: FromMember) => this.hear(worker, message));
    worker.once('exit', () => this.bury(worker));
  }

  private hear(worker: Worker, message: FromMember): void {
    const member = this.members.get(worker);
    // In order on one channel: the answer is there before any connection that is handed to the process.
    if (message.metrics === 'join') tell(worker, { metrics: 'joined' });
    if (message.metrics === 'reading' && member) {
      member.latest = message.reading;
      member.settle();
    }
    if (message.metrics === 'ask') void this.answer(worker, message.question);
  }

  private async answer(worker: Worker, question: number): Promise<void> {
    // All processes end with this one, so nothing here may end it; who asks in vain answers 503.
    const text = await this.render().catch(() => null);
    if (text !== null) tell(worker, { metrics: 'answer', question, text });
  }

  private bury(worker: Worker): void {
    const member = this.members.get(worker);
    if (!member) return;
    this.members.delete(worker);
    this.ofTheDead = sum([this.ofTheDead, member.latest.filter(isCounted)]);
    member.settle();
  }

  /** However many ask at the same time, each process is asked once. */
  private render(): Promise<string> {
    this.rendering ??= this.collect().finally(() => (this.rendering = null));
    return this.rendering;
  }

  private async collect(): Promise<string> {
    const answered = new Set<Member>();
    const asked = [...this.members].map(async ([worker, member]) => {
      await withDeadline(this.ask(worker, member), READING_DEADLINE_MS);
      answered.add(member);
    });
    await Promise.allSettled(asked);
    const members = [...this.members.values()];
    const readings = members.map((member) => (answered.has(member) ? member.latest : member.latest.filter(isCounted)));
    const answering = members.filter((member) => answered.has(member)).length;
    return aggregate([this.ofTheDead, ...readings, this.processes(answering)]).metrics();
  }

  /** How many are well, and how many should be: for the alert when one of them hangs, or none lives long. */
  private processes(answering: number): Reading {
    return [
      gauge('cluster_processes', 'Processes of this cluster that answered this scrape', answering),
      gauge('cluster_workers', 'Processes that this cluster keeps', this.workers),
    ];
  }

  private ask(worker: Worker, member: Member): Promise<void> {
    member.answering ??= new Promise((resolve) => {
      member.settle = () => {
        member.answering = null;
        resolve();
      };
      tell(worker, { metrics: 'read' });
    });
    return member.answering;
  }
}

/** Without a word about a channel that has just closed: that the process is gone is said by its `exit`. */
function tell(worker: Worker, message: ToMember): void {
  worker.send(message, () => undefined);
}

function isCounted({ type }: Reading[number]): boolean {
  return COUNTED.has(type);
}

function gauge(name: string, help: string, value: number): Reading[number] {
  return {
    name,
    help,
    type: 'gauge',
    aggregator: 'sum',
    values: [{ labels: {}, value }],
  } as unknown as Reading[number];
}

function aggregate(readings: Reading[]) {
  return AggregatorRegistry.aggregate(readings);
}

/** In prom-client's aggregated registry, a metric is its own reading. */
function sum(readings: Reading[]): Reading {
  return aggregate(readings).getMetricsAsArray() as Reading;
}
