/** A thread that computes bcrypt hashes, one after the other. JavaScript, so that it runs beside sources and compiled code alike. */
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { compareSync, hashSync } from 'bcrypt';

// A thread has a priority of its own on Linux alone; elsewhere this would be the whole process's.
if (process.platform === 'linux') {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A sandbox may forbid it. Then everybody else waits longer for the core.
  }
}

parentPort.on('message', ({ secret, cost, expected }) => {
  parentPort.postMessage(expected === undefined ? hashSync(secret, cost) : compareSync(secret, expected));
});
