export { Clock } from './clock.js';
export { SystemClock } from './system-clock.js';
//# sourceMappingURL=index.js.map