export { DevToolsModule } from './dev-tools.module.js';
export type { InboxMailDto } from './inbox/inbox.dto.js';
export { LIMIT_NAMESPACE_HEADER } from './limits/request-limit-namespaces.js';
export { MovableClock } from './clock/movable-clock.js';
export { TimeTravel } from './clock/time-travel.js';
