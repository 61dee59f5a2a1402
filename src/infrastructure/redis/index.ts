export { batched } from './batched.js';
export { RedisConnection, RedisUnavailableError } from './redis-connection.js';
export { REDIS, RedisModule } from './redis.module.js';
