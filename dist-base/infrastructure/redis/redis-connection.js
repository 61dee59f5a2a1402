import { Logger } from '@nestjs/common';
import { createClient } from 'redis';
const CONNECT_DEADLINE_MS = 1_000;
/** node-redis 4 has no command timeout: a frozen Redis would hang every request without this. */
const COMMAND_DEADLINE_MS = 400;
/** Redis did not do it: down, frozen, or answering with an error. The caller falls back. */
export class RedisUnavailableError extends Error {
    constructor(cause) {
        super('Redis did not answer', { cause });
        this.name = 'RedisUnavailableError';
    }
}
/** The one Redis client of the process. It reconnects by itself; while it is away, commands fail at once. */
export class RedisConnection {
    client;
    keyPrefix;
    logger = new Logger('Redis');
    reachable = true;
    constructor(client, keyPrefix) {
        this.client = client;
        this.keyPrefix = keyPrefix;
        // Without a listener for 'error', node-redis ends the process when Redis goes away.
        client.on('error', (error) => this.report(false, error));
        client.on('ready', () => this.report(true));
    }
    /** Starts connecting, and waits at most a second for it: the service starts without Redis too. */
    static async open(url, keyPrefix) {
        const client = createClient({
            url,
            disableOfflineQueue: true,
            pingInterval: 10_000,
            socket: {
                connectTimeout: 2_000,
                reconnectStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), 2_000),
            },
        });
        const connection = new RedisConnection(client, keyPrefix);
        await withDeadline(client.connect(), CONNECT_DEADLINE_MS).catch(() => undefined);
        return connection;
    }
    get isReady() {
        return this.client.isReady && this.reachable;
    }
    key(name) {
        return this.keyPrefix + name;
    }
    /**
     * Runs commands under a deadline of 400 ms. A command that is late may still take effect.
     * @throws RedisUnavailableError
     */
    async run(command) {
        if (!this.client.isReady)
            throw new RedisUnavailableError();
        try {
            const result = await withDeadline(command(this.client), COMMAND_DEADLINE_MS);
            this.reachable = true;
            return result;
        }
        catch (error) {
            this.report(false, error);
            throw new RedisUnavailableError(error);
        }
    }
    /** @returns true when Redis answers a PING in time. */
    async ping() {
        return this.run((client) => client.ping()).then(() => true, () => false);
    }
    async close() {
        // quit() would wait for a Redis that is away.
        if (this.client.isOpen)
            await this.client.disconnect();
    }
    report(isReachable, error) {
        if (isReachable === this.reachable)
            return;
        this.reachable = isReachable;
        if (isReachable)
            this.logger.log('Redis is back');
        else
            this.logger.warn(`Redis is unavailable (${error?.message}): served from storage, limits held in this process`);
    }
}
async function withDeadline(promise, deadlineMs) {
    let timer;
    const expired = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
    });
    // The late outcome has nobody to go to; unhandled, it would end the process.
    promise.catch(() => undefined);
    try {
        return await Promise.race([promise, expired]);
    }
    finally {
        clearTimeout(timer);
    }
}
//# sourceMappingURL=redis-connection.js.map