export { ClusterMember } from './cluster-member.js';
export { ClusterMetrics } from './cluster-metrics.js';
export type { Reading } from './cluster-messages.js';
