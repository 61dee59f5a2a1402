export { exitOnSignals, STOP_SIGNALS } from './exit-on-signals.js';
export { ignoreOutputErrors } from './ignore-output-errors.js';
export { stopWithShell } from './stop-with-shell.js';
