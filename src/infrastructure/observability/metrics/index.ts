export { DependencyMetrics } from './dependency-metrics.js';
export { Metrics } from './metrics.js';
export { MetricsController } from './metrics.controller.js';
export { MetricsModule } from './metrics.module.js';
export { ProcessMetrics } from './process-metrics.js';
export { measureRequests } from './request-metrics.js';
