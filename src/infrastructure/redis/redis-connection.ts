import { createHash } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { RedisClientType, RedisFunctions, RedisModules, RedisScripts } from 'redis';
import { LateError, withDeadline } from '../../common/clock/index.js';

type Client = RedisClientType<RedisModules, RedisFunctions, RedisScripts>;

const CONNECT_DEADLINE_MS = 1_000;
/** node-redis 4 has no command timeout: a frozen Redis would hang every request without this. */
const COMMAND_DEADLINE_MS = 400;
/**
 * The other end of a connection that is silent for so long may be gone without a word (its machine, or a way there): for what
 * was sent to it TCP would wait a quarter of an hour.
 */
const SILENCE_MS = 5_000;
/** Far more than come within a deadline. */
const MOST_UNANSWERED = 20_000;

/** Redis did not do it: down, frozen, or answering with an error. The caller falls back. */
export class RedisUnavailableError extends Error {
  constructor(cause?: unknown) {
    super('Redis did not answer', { cause });
    this.name = 'RedisUnavailableError';
  }
}

/** The one Redis client of the process. It reconnects by itself; while it is away or frozen, commands fail at once. */
export class RedisConnection {
  private readonly logger = new Logger('Redis');
  private readonly digests = new Map<string, string>();
  /** A drill: while true, it behaves as if Redis were away. */
  isCutOff = false;
  private reachable = true;
  private frozen = false;
  private isClosed = false;
  private failed = 0;
  private readonly backListeners: (() => void)[] = [];

  private constructor(
    readonly client: Client,
    private readonly keyPrefix: string,
  ) {
    // Without a listener for 'error', node-redis ends the process when Redis goes away.
    client.on('error', (error: Error) => this.report(false, error));
    client.on('ready', () => this.report(true));
  }

  /** Starts connecting, and waits at most a second for it: the service starts without Redis too. */
  static async open(url: string, keyPrefix: string): Promise<RedisConnection> {
    // 500 files, which a service without Redis need not load.
    const { createClient } = await import('redis');
    const client: Client = createClient({
      url,
      disableOfflineQueue: true,
      commandsQueueMaxLength: MOST_UNANSWERED,
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

  /** Whether a command would be sent at all. */
  get isReady(): boolean {
    return this.client.isReady && !this.frozen && !this.isCutOff;
  }

  /** @param listener called each time that Redis is back after it could not be reached */
  onBack(listener: () => void): void {
    this.backListeners.push(listener);
  }

  /** How many commands it did not carry out, so that whoever sent them fell back. */
  get failures(): number {
    return this.failed;
  }

  key(name: string): string {
    return this.keyPrefix + name;
  }

  /**
   * Runs commands under a deadline of 400 ms. A command that is late may still take effect.
   * @throws RedisUnavailableError
   */
  async run<T>(command: (client: Client) => Promise<T>): Promise<T> {
    if (!this.isReady) {
      this.failed += 1;
      throw new RedisUnavailableError();
    }
    try {
      const result = await withDeadline(command(this.client), COMMAND_DEADLINE_MS);
      this.report(true);
      return result;
    } catch (error) {
      this.failed += 1;
      this.report(false, error as Error);
      if (error instanceof LateError) void this.waitUntilItAnswers();
      throw new RedisUnavailableError(error);
    }
  }

  /**
   * Runs a Lua script, by its digest once Redis knows it: its text would be most of what is sent.
   * @param keys as this class's `key` yields them
   * @throws RedisUnavailableError
   */
  evaluate(script: string, keys: string[], values: string[]): Promise<unknown> {
    let digest = this.digests.get(script);
    if (!digest) this.digests.set(script, (digest = createHash('sha1').update(script).digest('hex')));
    const parameters = { keys, arguments: values };
    return this.run((client) =>
      client.evalSha(digest, parameters).catch((error: Error) => {
        // New to this Redis, or forgotten over a restart.
        if (!error.message.startsWith('NOSCRIPT')) throw error;
        return client.eval(script, parameters);
      }),
    );
  }

  /** @returns true when Redis answers a PING in time. */
  async ping(): Promise<boolean> {
    return this.run((client) => client.ping()).then(
      () => true,
      () => false,
    );
  }

  /**
   * Shortens what is left of the life of these keys, as if so much time had passed.
   * @param namePrefix how their names begin, without the prefix of the settings
   * @param ms Infinity removes them
   * @throws RedisUnavailableError
   */
  async age(namePrefix: string, ms: number): Promise<void> {
    let cursor = 0;
    do {
      const page = await this.run((client) => client.scan(cursor, { MATCH: `${this.key(namePrefix)}*`, COUNT: 1_000 }));
      cursor = page.cursor;
      for (const key of page.keys) {
        const leftMs = (await this.run((client) => client.pTTL(key))) - ms;
        await this.run<unknown>((client) => (leftMs > 0 ? client.pExpire(key, leftMs) : client.unlink(key)));
      }
    } while (cursor !== 0);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    // quit() would wait for a Redis that is away.
    if (this.client.isOpen) await this.client.disconnect();
  }

  /** Behind a command that hangs each further one would only wait, and be remembered until it is answered. */
  private async waitUntilItAnswers(): Promise<void> {
    if (this.frozen) return;
    this.frozen = true;
    try {
      await withDeadline(this.client.ping(), SILENCE_MS);
      this.frozen = false;
      this.report(true);
    } catch (error) {
      this.frozen = false;
      // Any other: the connection broke; the next one is made, and told of, by itself.
      if (error instanceof LateError) await this.connectAnew();
    }
  }

  private async connectAnew(): Promise<void> {
    let connecting: Promise<unknown> = Promise.resolve();
    let isLate = true;
    while (isLate && this.client.isOpen) {
      await this.client.disconnect();
      // The attempt before is to end first, or each would make a connection.
      await connecting;
      if (this.isClosed) return;
      connecting = this.client.connect().catch(() => undefined);
      isLate = await withDeadline(connecting, SILENCE_MS).then(
        () => false,
        () => true,
      );
    }
  }

  private report(isReachable: boolean, error?: Error): void {
    if (isReachable === this.reachable) return;
    this.reachable = isReachable;
    if (isReachable) {
      this.logger.log('Redis is back');
      for (const listener of this.backListeners) listener();
    } else
      this.logger.warn(`Redis is unavailable (${error?.message}): served from storage, limits held in this process`);
  }
}
