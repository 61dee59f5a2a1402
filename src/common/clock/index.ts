export { Clock } from './clock.js';
export { SystemClock } from './system-clock.js';
export { LateError, withDeadline } from './with-deadline.js';
