export { ignoreOutputErrors } from './ignore-output-errors.js';
export { stopWithShell } from './stop-with-shell.js';
