export { RecordCacheModule } from './cache.module.js';
export { coalesced } from './coalesced.js';
export { type FillTicket, RecordCache } from './record-cache.js';
