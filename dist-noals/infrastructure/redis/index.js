export { RedisConnection, RedisUnavailableError } from './redis-connection.js';
export { REDIS, RedisModule } from './redis.module.js';
//# sourceMappingURL=index.js.map