export { batched } from './batched.js';
export { LOSS_NOTICED_WITHIN_MS, RedisConnection, RedisUnavailableError } from './redis-connection.js';
export { REDIS, RedisModule } from './redis.module.js';
