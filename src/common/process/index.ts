export { stopWithShell } from './stop-with-shell.js';
