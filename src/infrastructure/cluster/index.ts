export { ClusterMember } from './cluster-member.js';
export { ClusterMetrics } from './cluster-metrics.js';
export { onLostConnection } from './lost-connection.js';
