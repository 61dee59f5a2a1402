import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { withDeadline } from '../../common/clock/index.js';
import { type Client, clientsOf, discard } from './redis-client.js';

const CONNECT_DEADLINE_MS = 1_000;
/** node-redis 4 has no command timeout: a frozen Redis would hang every request without this. */
const COMMAND_DEADLINE_MS = 400;
/** Upper bound of a deadline that was extended because this process is busy: several times the longest wait seen in bursts. */
const LONGEST_WAIT_MS = 2_000;
/** A process counts as busy if its event loop was idle for less than this share of the time since a command was sent. */
const IDLE_SHARE = 0.1;
/**
 * Time-out for connecting and for the first sign of life. A host or network can vanish without closing its connections, and TCP
 * would go on resending for a quarter of an hour. Together with the longest pause between attempts it must stay below the time
 * for which other processes distrust the cache after an outage (RecordCache).
 */
const SILENCE_MS = 2_000;
/** An idle process has to notice an outage too: others wait for the writes that it has to replay. */
const HEARTBEAT_EVERY_MS = 1_000;
/** After so long without Redis, every process knows of it. */
export const LOSS_NOTICED_WITHIN_MS = HEARTBEAT_EVERY_MS + COMMAND_DEADLINE_MS;
/** Told in one outage. */
const MOST_REASONS = 10;

/**
 * A script that writes, like the limiter's: a Redis that allows no scripts or writes is of no use. It names several keys, since the
 * slots of Redis Cluster would refuse the service's own scripts, which do.
 */
const HEARTBEAT = `return redis.call('SET', KEYS[1], '1', 'PX', 1000)`;

/** In one step: nothing may renew the key in between. */
const AGE = `
  local left = redis.call('PTTL', KEYS[1]) - tonumber(ARGV[1])
  if left > 0 then return redis.call('PEXPIRE', KEYS[1], left) end
  return redis.call('UNLINK', KEYS[1])
`;

/** Redis is down, frozen, or answered with an error. The caller falls back. */
export class RedisUnavailableError extends Error {
  constructor(cause?: unknown) {
    super('Redis did not answer', { cause });
    this.name = 'RedisUnavailableError';
  }
}

/**
 * Milliseconds before the next attempt to connect.
 * @param attempt counted from 0 since Redis was lost
 */
export function pauseBeforeNext(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 6), 2_000);
}

/**
 * The process's one connection to Redis. A failed command takes it out of use: from then on commands fail at once, until a Redis
 * is found that accepts writes. (A PING would not tell: a replica, a full Redis and one that is loading its data answer it.)
 * Each attempt resolves the host name again, and so follows a fail-over.
 */
export class RedisConnection {
  private readonly logger = new Logger('Redis');
  private readonly digests = new Map<string, string>();
  /** For drills: while true, it behaves as if Redis were down. */
  isCutOff = false;
  /** Each connection has a client of its own, so that a late answer can never be taken for one of the next connection. */
  private inUse: Client | null = null;
  /** Why it was down since it was last in use: one reason may hide behind another, such as a password behind a restart. */
  private readonly reportedReasons = new Set<string>();
  private isClosed = false;
  private failed = 0;
  private answered = 0;
  private readonly lostListeners: (() => void)[] = [];
  private readonly backListeners: (() => void)[] = [];
  /** A client that is being tried out. */
  private candidate: Client | null = null;
  private readonly heartbeats: NodeJS.Timeout;

  private constructor(
    private readonly newClient: () => Client,
    private readonly keyPrefix: string,
  ) {
    this.heartbeats = setInterval(() => this.isReady && void this.ping(), HEARTBEAT_EVERY_MS).unref();
  }

  /** Connects, and waits for it a second at most: the service also starts without Redis. */
  static async open(url: string, keyPrefix: string): Promise<RedisConnection> {
    const connection = new RedisConnection(await clientsOf(url, SILENCE_MS), keyPrefix);
    await withDeadline(connection.reconnect(null), CONNECT_DEADLINE_MS).catch(() => undefined);
    return connection;
  }

  /** Whether commands are sent; else they fail at once. */
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

  /** Number of commands that failed, so that their callers fell back. */
  get failures(): number {
    return this.failed;
  }

  key(name: string): string {
    return this.keyPrefix + name;
  }

  /**
   * Runs commands with a deadline of 400 ms, or of two seconds while this process itself is the slow part. A late command may
   * still take effect.
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
      this.markDown(client, error as Error);
      throw new RedisUnavailableError(error);
    }
  }

  /**
   * Runs a Lua script, by its digest once Redis knows it, since the text would be most of the traffic.
   * @param keys full names, from `key()`
   * @throws RedisUnavailableError
   */
  evaluate(script: string, keys: string[], values: string[]): Promise<unknown> {
    return this.run((client) => this.evaluateBy(client, script, keys, values));
  }

  /** @returns whether Redis answers in time, and accepts writes */
  async ping(): Promise<boolean> {
    // No command that somebody had to do without, so it must not count as one.
    if (!this.isReady) return false;
    return this.run((client) => this.tryOut(client)).then(
      () => true,
      () => false,
    );
  }

  /**
   * Shortens the remaining lifetime of keys, as if time had passed.
   * @param namePrefix beginning of their names, without the prefix of the settings
   * @param ms how much time; Infinity removes the keys
   * @throws RedisUnavailableError
   */
  async age(namePrefix: string, ms: number): Promise<void> {
    // Redis may name a key twice.
    const keys = new Set<string>();
    let cursor = 0;
    do {
      const page = await this.run((client) => client.scan(cursor, { MATCH: `${this.key(namePrefix)}*`, COUNT: 1_000 }));
      cursor = page.cursor;
      for (const key of page.keys) keys.add(key);
    } while (cursor !== 0);
    const shortenBy = String(Math.min(ms, Number.MAX_SAFE_INTEGER));
    for (const key of keys) await this.evaluate(AGE, [key], [shortenBy]);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.heartbeats);
    const open = [this.inUse, this.candidate];
    this.inUse = null;
    // quit() would wait for a Redis that is down.
    await Promise.all(open.map((client) => client && discard(client)));
  }

  /**
   * Tells a slow process from a slow Redis. In a burst of thousands of commands, answers lie unread in the socket while this
   * process works through earlier ones; to take Redis for down would only make more work.
   * @returns a check for `withDeadline`: true if Redis has answered since the last check, and this process was busy all the time
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
      // This Redis has not seen the script yet, or forgot it in a restart.
      if (!error.message.startsWith('NOSCRIPT')) throw error;
      return client.eval(script, parameters);
    });
  }

  private async tryOut(client: Client): Promise<void> {
    if (!client.isOpen) await client.connect();
    await this.evaluateBy(client, HEARTBEAT, [this.key('sign-of-life'), this.key('never-written')], []);
  }

  /** After a failure nothing more is sent: behind a command that hangs, each further one would wait and take memory. */
  private markDown(client: Client, error: Error): void {
    // A failure on an earlier connection says nothing about the present one.
    if (client !== this.inUse) return;
    this.inUse = null;
    this.reportDown(error);
    for (const listener of this.lostListeners) listener();
    if (!client.isReady) void discard(client);
    void this.reconnect(client.isReady ? client : null);
  }

  /** @param last the client in use so far, tried once more: it may have paused for a moment, or refused a single command */
  private async reconnect(last: Client | null): Promise<void> {
    for (let attempt = 0, client = last; !this.isClosed; attempt += 1, client = null) {
      client ??= this.makeClient();
      this.candidate = client;
      const error = await withDeadline(this.tryOut(client), SILENCE_MS).catch((reason: Error) => reason);
      this.candidate = null;
      if (!error && !this.isClosed) return this.markUp(client);
      void discard(client);
      if (error) this.reportDown(error);
      await pause(pauseBeforeNext(attempt), undefined, { ref: false });
    }
  }

  private markUp(client: Client): void {
    this.inUse = client;
    if (this.reportedReasons.size > 0) this.logger.log('Redis is back');
    this.reportedReasons.clear();
    for (const listener of this.backListeners) listener();
  }

  private makeClient(): Client {
    const client = this.newClient();
    // Without a listener for 'error', node-redis ends the process when Redis goes away.
    client.on('error', (error: Error) => this.markDown(client, error));
    return client;
  }

  private reportDown({ message }: Error): void {
    // Of a command within a script, Redis goes on to name that.
    const [reason = message] = message.split(' script: ');
    if (this.reportedReasons.has(reason) || this.reportedReasons.size >= MOST_REASONS || this.isClosed) return;
    this.reportedReasons.add(reason);
    this.logger.warn(`Redis is unavailable (${reason}): served from storage, limits held in this process`);
  }
}
