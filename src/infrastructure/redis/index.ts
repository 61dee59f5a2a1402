export { RedisConnection, RedisUnavailableError } from './redis-connection.js';
export { REDIS, RedisModule } from './redis.module.js';
export { inOneCommand } from './in-one-command.js';
