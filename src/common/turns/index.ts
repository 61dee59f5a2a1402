export { Turns } from './turns.js';
