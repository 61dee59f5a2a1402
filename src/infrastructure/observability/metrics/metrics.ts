import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { withDeadline } from '../../../common/clock/index.js';
import { ClusterMember } from '../../cluster/index.js';

/** A scrape must not hang with what it measures. */
const READ_DEADLINE_MS = 2_000;

type Value = number | null;
/** What the gauges of several processes on one machine make together. */
type Together = 'sum' | 'min' | 'max';

/**
 * The metrics of one application, in Prometheus' words. Each room makes its own here, once, and then only counts: values of
 * labels are named in advance, so that no caller can make new series, and nothing is allocated while a request runs.
 * (prom-client and not its successor @prometheus-io/client: that one asks for Node 22.)
 */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  private readonly member = new ClusterMember(() => this.registry.getMetricsAsJSON());
  private rendering: Promise<string> | null = null;

  /** Of what `render` yields. */
  readonly contentType = this.registry.contentType;

  counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }

  /** One counter for each value of a label, all of them there from the start: an alert on the first increase needs a 0 before it. */
  counters<V extends string>(name: string, help: string, label: string, values: readonly V[]) {
    const counter = new Counter({ name, help, labelNames: [label], registers: [this.registry] });
    const counters = values.map((value) => {
      counter.inc({ [label]: value }, 0);
      return [value, counter.labels(value)] as const;
    });
    return Object.fromEntries(counters) as Record<V, Counter.Internal>;
  }

  /** A counter that somebody else keeps, read when it is asked for. */
  total(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** A value read when it is asked for. Null, a failure, and an answer that takes over 2 s: it is left out. */
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
   * All of it as text, of all processes if this is one of several. However many ask at the same time, it is read once:
   * anybody may ask, and some of it is in the database.
   * @throws ApiError `service_unavailable` when the other processes cannot be asked
   */
  render(): Promise<string> {
    const reading = () => (this.member.isOne ? this.member.readAll() : this.registry.metrics());
    this.rendering ??= reading().finally(() => (this.rendering = null));
    return this.rendering;
  }
}
