export { recentlyUsed } from './recently-used.js';
