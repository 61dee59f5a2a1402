export { RecordCacheModule } from './cache.module.js';
export { type FillTicket, RecordCache } from './record-cache.js';
