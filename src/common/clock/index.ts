export { CLOCK_SKEW_MS } from './clock-skew.js';
export { Clock } from './clock.js';
export { SystemClock } from './system-clock.js';
export { withDeadline } from './with-deadline.js';
export { WakeablePauses } from './wakeable-pauses.js';
