import { Clock } from './clock.js';
export class SystemClock extends Clock {
    nowMs() {
        return Date.now();
    }
}
//# sourceMappingURL=system-clock.js.map