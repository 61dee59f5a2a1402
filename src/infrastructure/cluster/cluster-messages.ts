import type { Registry } from 'prom-client';

/** All metrics of one process at one moment. */
export type Reading = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Messages between the primary process and the others, over Node's IPC channel. */
export type ToMember =
  { metrics: 'joined' } | { metrics: 'read' } | { metrics: 'answer'; question: number; text: string };

export type FromMember =
  { metrics: 'join' } | { metrics: 'reading'; reading: Reading | null } | { metrics: 'ask'; question: number };
