import type { Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { withDeadline } from '../../common/clock/index.js';
import type { FromMember, Reading, ToMember } from './cluster-messages.js';

/** A healthy process answers within 2 s, which is how long its metrics may take. */
const READING_DEADLINE_MS = 3_000;
/** Typed as unknown: prom-client declares metric types as numbers, but they are strings. */
const COUNTED = new Set<unknown>(['counter', 'histogram']);

interface Member {
  /** Its newest reading, kept when it stops answering or dies. */
  latest: Reading;
  /** Resolves when it has answered or died. One at a time: two answers could overtake each other, and counters would fall. */
  answering: Promise<void> | null;
  settle: () => void;
}

/**
 * The metrics of all processes together, kept by the primary process; whichever process answers a scrape asks here.
 *
 * Counters and histograms must never fall: Prometheus would take that for a restart, and count everything again. So the last
 * reading of a process that is too busy to answer still counts, and that of a dead one for ever; only what it did after its
 * last reading is lost. Gauges come from the processes that answer. (prom-client's own collection fails as a whole when one
 * process does not answer, and forgets dead ones.)
 */
export class ClusterMetrics {
  private readonly members = new Map<Worker, Member>();
  private exitedTotals: Reading = [];
  private rendering: Promise<string> | null = null;

  /** @param workers number of processes that should be running */
  constructor(private readonly workers: number) {}

  /** To be called right after the fork. */
  follow(worker: Worker): void {
    // Before it listens it does not answer, and each scrape would wait for it.
    worker.once('listening', () => this.members.set(worker, { latest: [], answering: null, settle: () => undefined }));
    worker.on('message', (message: FromMember) => this.onMessage(worker, message));
    worker.once('exit', () => this.remove(worker));
  }

  private onMessage(worker: Worker, message: FromMember): void {
    const member = this.members.get(worker);
    // The channel keeps the order: this answer arrives before any connection that is handed to the process.
    if (message.metrics === 'join') tell(worker, { metrics: 'joined' });
    if (message.metrics === 'reading' && member) {
      member.latest = message.reading ?? member.latest.filter(isCounted);
      member.settle();
    }
    if (message.metrics === 'ask') void this.answer(worker, message.question);
  }

  private async answer(worker: Worker, question: number): Promise<void> {
    // Nothing here may end this process, since all others would end with it. A member without an answer responds 503.
    const text = await this.render().catch(() => null);
    if (text !== null) tell(worker, { metrics: 'answer', question, text });
  }

  private remove(worker: Worker): void {
    const member = this.members.get(worker);
    if (!member) return;
    this.members.delete(worker);
    this.exitedTotals = sum([this.exitedTotals, member.latest.filter(isCounted)]);
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
    return AggregatorRegistry.aggregate([this.exitedTotals, ...readings, this.processes(answering)]).metrics();
  }

  /** How many processes answer, and how many should: for an alert when one hangs or keeps dying. */
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

/** A channel that has just closed is ignored: the event `exit` tells that the process is gone. */
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

/** In prom-client's aggregated registry, a metric is its own reading. */
function sum(readings: Reading[]): Reading {
  return AggregatorRegistry.aggregate(readings).getMetricsAsArray() as Reading;
}
