import type { Registry } from 'prom-client';

/** All metrics of one process at one moment. */
export type Reading = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** What the primary process tells the others, and they it, over Node's channel between them. */
export type ToMember =
  { metrics: 'joined' } | { metrics: 'read' } | { metrics: 'answer'; question: number; text: string };

export type FromMember =
  { metrics: 'join' } | { metrics: 'reading'; reading: Reading } | { metrics: 'ask'; question: number };
