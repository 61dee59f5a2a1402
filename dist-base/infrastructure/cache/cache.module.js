var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
import { CACHE_MANAGER, CacheModule } from '@nestjs/cache-manager';
import { Module } from '@nestjs/common';
import { REDIS, RedisModule } from '../redis/index.js';
import { memoryStore, redisStore } from './cache-stores.js';
import { MemoryFillFence } from './memory-fill-fence.js';
import { RecordCache } from './record-cache.js';
import { RedisFillFence } from './redis-fill-fence.js';
/** Owns cache-manager, in Redis or in this process. Exports {@link RecordCache}; announces nothing. */
let RecordCacheModule = class RecordCacheModule {
};
RecordCacheModule = __decorate([
    Module({
        imports: [
            RedisModule,
            CacheModule.registerAsync({
                imports: [RedisModule],
                inject: [REDIS],
                useFactory: (redis) => ({ stores: [redis ? redisStore(redis) : memoryStore()] }),
            }),
        ],
        providers: [
            {
                provide: RecordCache,
                inject: [CACHE_MANAGER, REDIS],
                useFactory: (cache, redis) => new RecordCache(cache, redis ? new RedisFillFence(redis) : new MemoryFillFence(cache)),
            },
        ],
        exports: [RecordCache],
    })
], RecordCacheModule);
export { RecordCacheModule };
//# sourceMappingURL=cache.module.js.map