export { AppLogger } from './app-logger.js';
export { ForwardingCheck } from './forwarding-check.js';
export { measureRequests, Metrics, MetricsModule } from './metrics/index.js';
export { ObservabilityModule } from './observability.module.js';
export { logRequests } from './request-log.js';
export { nameSpans } from './tracing.js';
