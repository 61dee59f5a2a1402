import type { RedisClientOptions, RedisClientType, RedisFunctions, RedisModules, RedisScripts } from 'redis';

export type Client = RedisClientType<RedisModules, RedisFunctions, RedisScripts>;

/** node-redis passes its socket options on to net.connect() and tls.connect(), which accept a signal. */
type NetConnectOptions = Extract<RedisClientOptions['socket'], { host?: string }> & { signal: AbortSignal };

/** Unanswered commands per connection; far more than are sent within a deadline. */
const MOST_UNANSWERED = 20_000;

/** To abort sockets that are still connecting: node-redis' disconnect() forgets those, and they would stay open. */
const ends = new WeakMap<Client, AbortController>();

/** @returns a function that makes a client for one connection, which it does not renew by itself */
export async function clientsOf(url: string, connectTimeout: number): Promise<() => Client> {
  // Imported here, since the package has 500 files that a service without Redis need not load.
  const { createClient } = await import('redis');
  return () => {
    const end = new AbortController();
    const socket: NetConnectOptions = { connectTimeout, reconnectStrategy: false, signal: end.signal };
    const client = createClient({
      url,
      disableOfflineQueue: true,
      // It is sent first, and node-redis hides what it is answered: that Redis has too many clients, for example.
      disableClientInfo: true,
      commandsQueueMaxLength: MOST_UNANSWERED,
      socket,
    });
    // node-redis 4 leaves an IPv6 address in the brackets of the URL, and would look that up as a host name.
    socket.host = socket.host?.replace(/^\[(.*)\]$/, '$1');
    ends.set(client, end);
    return client;
  };
}

export async function discard(client: Client): Promise<void> {
  if (client.isOpen) await client.disconnect().catch(() => undefined);
  ends.get(client)?.abort();
}
