import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { RedisClientOptions, RedisClientType, RedisFunctions, RedisModules, RedisScripts } from 'redis';
import { withDeadline } from '../../common/clock/index.js';

type Client = RedisClientType<RedisModules, RedisFunctions, RedisScripts>;

/** node-redis hands its options on to net.connect() and tls.connect(), which take a signal. */
type NetConnectOptions = Extract<RedisClientOptions['socket'], { host?: string }> & { signal: AbortSignal };

const CONNECT_DEADLINE_MS = 1_000;
/** node-redis 4 has no command timeout: a frozen Redis would hang every request without this. */
const COMMAND_DEADLINE_MS = 400;
/** Several times what was seen under bursts. */
const LONGEST_WAIT_MS = 2_000;
/** Of the time since a command was sent, what a process may have waited that counts as busy. */
const IDLE_SHARE = 0.1;
/**
 * The other end of a connection that is silent for so long may be gone without a word (its machine, or a way there): for what
 * was sent to it TCP would wait a quarter of an hour. With the longest pause, shorter than others read from storage after they
 * have found the way back (RecordCache).
 */
const SILENCE_MS = 2_000;
/** Who has nothing to ask is to notice too: others may wait for what it has to say again. */
const SIGN_OF_LIFE_EVERY_MS = 1_000;
/** Far more than come within a deadline. */
const MOST_UNANSWERED = 20_000;

/** By a script, as limits are counted: who may not run one, or write, is of no use. */
const SIGN_OF_LIFE = `return redis.call('SET', KEYS[1], '1', 'PX', 1000)`;

/** Redis did not do it: down, frozen, or answering with an error. The caller falls back. */
export class RedisUnavailableError extends Error {
  constructor(cause?: unknown) {
    super('Redis did not answer', { cause });
    this.name = 'RedisUnavailableError';
  }
}

/**
 * Milliseconds until it is looked for again.
 * @param attempt from 0, since Redis was lost
 */
export function pauseBeforeNext(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 6), 2_000);
}

/**
 * The process's one connection to Redis. What fails takes it out of use, and commands fail at once, until a Redis is found
 * that can be written to: one that became a replica, is full, or is loading its data answers a PING too. Each attempt
 * looks the address up again, and so follows a fail-over.
 */
export class RedisConnection {
  private readonly logger = new Logger('Redis');
  private readonly digests = new Map<string, string>();
  /** A drill: while true, it behaves as if Redis were away. */
  isCutOff = false;
  /** A client for each connection: no answer that is late on one can be taken for that of the next. */
  private inUse: Client | null = null;
  private isMissed = false;
  private isClosed = false;
  private failed = 0;
  private answered = 0;
  private readonly lostListeners: (() => void)[] = [];
  private readonly backListeners: (() => void)[] = [];
  /** The one that is being tried out. */
  private candidate: Client | null = null;
  private readonly signsOfLife: NodeJS.Timeout;

  private constructor(
    private readonly newClient: (signal: AbortSignal) => Client,
    private readonly keyPrefix: string,
  ) {
    this.signsOfLife = setInterval(() => this.isReady && void this.ping(), SIGN_OF_LIFE_EVERY_MS).unref();
  }

  /** Starts connecting, and waits at most a second for it: the service starts without Redis too. */
  static async open(url: string, keyPrefix: string): Promise<RedisConnection> {
    // 500 files, which a service without Redis need not load.
    const { createClient } = await import('redis');
    const newClient = (signal: AbortSignal): Client => {
      const socket: NetConnectOptions = { connectTimeout: SILENCE_MS, reconnectStrategy: false, signal };
      const client = createClient({
        url,
        disableOfflineQueue: true,
        commandsQueueMaxLength: MOST_UNANSWERED,
        socket,
      });
      // node-redis 4 writes the address here, an IPv6 one in the brackets of its URL, and would look that up as a name.
      socket.host = socket.host?.replace(/^\[(.*)\]$/, '$1');
      return client;
    };
    const connection = new RedisConnection(newClient, keyPrefix);
    await withDeadline(connection.find(null), CONNECT_DEADLINE_MS).catch(() => undefined);
    return connection;
  }

  /** Whether a command would be sent at all. */
  get isReady(): boolean {
    return this.inUse !== null && !this.isCutOff;
  }

  /** @throws RedisUnavailableError while none is in use */
  get client(): Client {
    if (!this.inUse) throw new RedisUnavailableError();
    return this.inUse;
  }

  /** @param listener called each time that Redis can no longer be used */
  onLost(listener: () => void): void {
    this.lostListeners.push(listener);
  }

  /** @param listener called each time that Redis is back after it could not be used */
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
   * Runs commands under a deadline of 400 ms, or of two seconds where this process itself is what is slow. A command that is
   * late may still take effect.
   * @throws RedisUnavailableError
   */
  async run<T>(command: (client: Client) => Promise<T>): Promise<T> {
    if (!this.inUse || this.isCutOff) {
      this.failed += 1;
      throw new RedisUnavailableError();
    }
    const client = this.inUse;
    try {
      const answer = await withDeadline(command(client), COMMAND_DEADLINE_MS, this.mayStillAnswer(client));
      this.answered += 1;
      return answer;
    } catch (error) {
      this.failed += 1;
      this.putOutOfUse(client, error as Error);
      throw new RedisUnavailableError(error);
    }
  }

  /**
   * Runs a Lua script, by its digest once Redis knows it: its text would be most of what is sent.
   * @param keys as this class's `key` yields them
   * @throws RedisUnavailableError
   */
  evaluate(script: string, keys: string[], values: string[]): Promise<unknown> {
    return this.run((client) => this.evaluateBy(client, script, keys, values));
  }

  /** @returns true when Redis does its part in time. */
  async ping(): Promise<boolean> {
    return this.run((client) => this.tryOut(client)).then(
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
    clearInterval(this.signsOfLife);
    const open = [this.inUse, this.candidate];
    this.inUse = null;
    // quit() would wait for a Redis that is away.
    await Promise.all(open.map((client) => client && discard(client)));
  }

  /**
   * Redis answers in turn. Where thousands are asked at once, answers lie in the socket while this process works through
   * those before: to call it down would only make more of that work.
   * @returns whether it has answered since one asked last, and this process has hardly waited for anything since it was sent
   */
  private mayStillAnswer(client: Client): () => boolean {
    const { nodeTiming } = performance;
    const [sentAtMs, idleBeforeMs] = [performance.now(), nodeTiming.idleTime];
    let seen = this.answered;
    return () => {
      const elapsedMs = performance.now() - sentAtMs;
      const isBusy = nodeTiming.idleTime - idleBeforeMs < IDLE_SHARE * elapsedMs;
      const isAnswering = this.answered !== seen && client === this.inUse;
      seen = this.answered;
      return isAnswering && isBusy && elapsedMs < LONGEST_WAIT_MS;
    };
  }

  private evaluateBy(client: Client, script: string, keys: string[], values: string[]): Promise<unknown> {
    let digest = this.digests.get(script);
    if (!digest) this.digests.set(script, (digest = createHash('sha1').update(script).digest('hex')));
    const parameters = { keys, arguments: values };
    return client.evalSha(digest, parameters).catch((error: Error) => {
      // New to this Redis, or forgotten over a restart.
      if (!error.message.startsWith('NOSCRIPT')) throw error;
      return client.eval(script, parameters);
    });
  }

  private async tryOut(client: Client): Promise<void> {
    if (!client.isOpen) await client.connect();
    await this.evaluateBy(client, SIGN_OF_LIFE, [this.key('sign-of-life')], []);
  }

  /** Behind a command that hangs each further one would only wait, and be remembered until it is answered. */
  private putOutOfUse(client: Client, error: Error): void {
    // What fails on an earlier connection says nothing of this one.
    if (client !== this.inUse) return;
    this.inUse = null;
    this.tellMissed(error);
    for (const listener of this.lostListeners) listener();
    if (!client.isReady) void discard(client);
    void this.find(client.isReady ? client : null);
  }

  /** @param last is tried once more: it may only have stood still for a moment, or have refused one command */
  private async find(last: Client | null): Promise<void> {
    for (let attempt = 0, client = last; !this.isClosed; attempt += 1, client = null) {
      client ??= this.makeClient();
      this.candidate = client;
      const error = await withDeadline(this.tryOut(client), SILENCE_MS).catch((reason: Error) => reason);
      this.candidate = null;
      if (!error && !this.isClosed) return this.putInUse(client);
      void discard(client);
      if (error) this.tellMissed(error);
      await pause(pauseBeforeNext(attempt), undefined, { ref: false });
    }
  }

  private putInUse(client: Client): void {
    this.inUse = client;
    if (this.isMissed) this.logger.log('Redis is back');
    this.isMissed = false;
    for (const listener of this.backListeners) listener();
  }

  private makeClient(): Client {
    const end = new AbortController();
    const client = this.newClient(end.signal);
    ends.set(client, end);
    // Without a listener for 'error', node-redis ends the process when Redis goes away.
    client.on('error', (error: Error) => this.putOutOfUse(client, error));
    return client;
  }

  private tellMissed(error: Error): void {
    if (this.isMissed || this.isClosed) return;
    this.isMissed = true;
    this.logger.warn(`Redis is unavailable (${error.message}): served from storage, limits held in this process`);
  }
}

/** disconnect() forgets a socket that is still connecting, which would then stay open for good. */
const ends = new WeakMap<Client, AbortController>();

async function discard(client: Client): Promise<void> {
  if (client.isOpen) await client.disconnect().catch(() => undefined);
  ends.get(client)?.abort();
}
