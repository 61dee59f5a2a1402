export { AppLogger, createLogger } from './app-logger.js';
export { ForwardingCheck } from './forwarding-check.js';
export { ObservabilityModule } from './observability.module.js';
export { logRequests } from './request-log.js';
//# sourceMappingURL=index.js.map