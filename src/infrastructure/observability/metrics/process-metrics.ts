import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../../common/clock/index.js';
import { lostLines } from '../standard-output.js';
import { Metrics } from './metrics.js';
import { OpenFiles } from './open-files.js';

const RESOLUTION_MS = 10;

/**
 * The usual metrics of a Node process, under their usual names. prom-client's own collection cannot be stopped
 * (prometheus/client_js issue 494): a closed application would go on measuring.
 */
@Injectable()
export class ProcessMetrics implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly eventLoop: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private readonly openFiles = new OpenFiles();

  constructor(metrics: Metrics, clock: Clock) {
    const startedAtSeconds = clock.nowMs() / 1000 - process.uptime();
    const startedAt = 'When the process started, in Unix time';
    metrics.gauge('process_start_time_seconds', startedAt, () => startedAtSeconds, 'max');
    metrics.total('process_cpu_seconds_total', 'CPU time used', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    });
    metrics.gauge('process_resident_memory_bytes', 'Memory held', () => process.memoryUsage.rss());
    metrics.gauge('nodejs_heap_size_used_bytes', 'Heap in use', () => process.memoryUsage().heapUsed);
    metrics.gauge('nodejs_heap_size_total_bytes', 'Heap reserved', () => process.memoryUsage().heapTotal);
    metrics.gauge('nodejs_external_memory_bytes', 'Memory outside the heap', () => process.memoryUsage().external);
    metrics.total('log_lines_lost_total', 'Lines of the log that could not be written', lostLines);
    const open = 'Files and connections that are open; of several processes, of the one with most';
    metrics.gauge('process_open_fds', open, () => this.openFiles.count(), 'max');
    metrics.gauge(
      'process_max_fds',
      'How many may be open; of several processes, the least',
      () => this.openFiles.max(),
      'min',
    );
    for (const percentile of [50, 99]) {
      metrics.gauge(
        `nodejs_eventloop_lag_p${percentile}_seconds`,
        `Delay of the event loop since the last scrape, percentile ${percentile}`,
        () => toSeconds(this.eventLoop.percentile(percentile)),
        'max',
      );
    }
    const longest = () => {
      const seconds = toSeconds(this.eventLoop.max);
      this.eventLoop.reset();
      return seconds;
    };
    metrics.gauge(
      'nodejs_eventloop_lag_max_seconds',
      'Longest delay of the event loop since the last scrape',
      longest,
      'max',
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    this.eventLoop.enable();
    await this.openFiles.max();
  }

  onApplicationShutdown(): void {
    this.eventLoop.disable();
  }
}

/** Converts nanoseconds between two ticks of the histogram's timer, which include its resolution, to the delay. */
function toSeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
}
