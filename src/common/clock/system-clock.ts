import { Clock } from './clock.js';

export class SystemClock extends Clock {
  nowMs(): number {
    return Date.now();
  }
}
