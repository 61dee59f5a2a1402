import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { withDeadline } from '../../../common/clock/index.js';
import { ClusterMember } from '../../cluster/index.js';

/** Deadline for reading a gauge: a scrape must not hang when what it measures does. */
const READ_DEADLINE_MS = 2_000;

type Value = number | null;
/** How the gauges of several processes on one machine are combined. */
type Together = 'sum' | 'min' | 'max';

/**
 * The metrics of one application. Each module creates its own here, once, and then only counts: label values are named in
 * advance, so that no caller can create new series, and a request allocates nothing.
 * (prom-client and not its successor @prometheus-io/client: that one asks for Node 22.)
 */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  private readonly member = new ClusterMember(() => this.registry.getMetricsAsJSON());
  private rendering: Promise<string> | null = null;

  /** The content type of what `render` returns. */
  readonly contentType = this.registry.contentType;

  counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }

  /** One counter for each value of a label, all present from the start: an alert on the first increase needs a 0 before it. */
  counters<V extends string>(name: string, help: string, label: string, values: readonly V[]) {
    const counter = new Counter({ name, help, labelNames: [label], registers: [this.registry] });
    const counters = values.map((value) => {
      counter.inc({ [label]: value }, 0);
      return [value, counter.labels(value)] as const;
    });
    return Object.fromEntries(counters) as Record<V, Counter.Internal>;
  }

  /** A counter that is kept elsewhere, and read at each scrape. If it cannot be read, it stays what it was. */
  total(name: string, help: string, read: () => number): void {
    let latest = 0;
    new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        try {
          latest = read();
        } catch {
          // One that cannot be read must not take all others along.
        }
        this.reset();
        this.inc(latest);
      },
    });
  }

  /** A value that is read at each scrape. It is left out if it is null, fails, or takes more than 2 s. */
  gauge(name: string, help: string, read: () => Value | Promise<Value>, aggregator: Together = 'sum'): void {
    new Gauge({
      name,
      help,
      aggregator,
      registers: [this.registry],
      async collect() {
        const reading = (async () => read())();
        const value = await withDeadline(reading, READ_DEADLINE_MS).catch(() => null);
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  }

  /** @param buckets upper bounds, in the metric's unit */
  histogram<L extends string>(name: string, help: string, buckets: number[], labelNames: L[] = []): Histogram<L> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.registry] });
  }

  /**
   * All metrics as text, of all processes if this is one of several. Simultaneous scrapes share one reading: anybody may
   * scrape, and some metrics are read from the database.
   * @throws ApiError `service_unavailable` if the other processes cannot be asked
   */
  render(): Promise<string> {
    const reading = () => (this.member.isOne ? this.member.readAll() : this.registry.metrics());
    this.rendering ??= reading().finally(() => (this.rendering = null));
    return this.rendering;
  }
}
