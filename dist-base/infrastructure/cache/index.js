export { RecordCacheModule } from './cache.module.js';
export { RecordCache } from './record-cache.js';
//# sourceMappingURL=index.js.map