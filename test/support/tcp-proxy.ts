import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/**
 * What becomes of what a client sends: it goes on; late; the server is gone before it arrives; or before it can answer; or something
 * else is answered, and it never arrives; or the connection is reset once it was answered.
 */
export type Verdict =
  'pass' | 'cut before' | 'cut after' | 'reset after its answer' | { lateMs: number } | { answer: Buffer };

/** Stands between the service and a server, and can be cut, frozen and restored. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private readonly forsaken: Socket[] = [];
  private isCut = false;
  private isFrozen = false;
  /** Decides over each chunk that a client sends. */
  judge: (chunk: Buffer) => Verdict = () => 'pass';

  private credentials = '';

  private constructor(private target: NetConnectOpts) {
    this.server = createServer((client) => this.forward(client));
  }

  static async to(target: NetConnectOpts): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  /** @param url of a Redis, or of an embedded store */
  static async before(url: string): Promise<TcpProxy> {
    const proxy = await TcpProxy.to(targetOf(url));
    const { password } = new URL(url);
    if (password) proxy.credentials = `:${password}@`;
    return proxy;
  }

  /** From now on who connects comes to that one; who is connected stays. */
  leadTo(url: string): void {
    this.target = targetOf(url);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get redisUrl(): string {
    return `redis://${this.credentials}127.0.0.1:${this.port}`;
  }

  get mongodbUri(): string {
    return `mongodb://127.0.0.1:${this.port}/?directConnection=true`;
  }

  /** Of clients that are open. */
  get connections(): number {
    return this.sockets.size / 2;
  }

  /** The server is gone: connections break, new ones are refused. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Every connection breaks, at its end or by a reset; new ones are taken. */
  shake(how: 'closed' | 'reset'): void {
    for (const socket of this.sockets) {
      if (how === 'reset' && socket.remoteFamily) socket.resetAndDestroy();
      else socket.destroy();
    }
  }

  /** The server hangs: connections stay, and nothing comes back. */
  freeze(): void {
    this.isFrozen = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** The server's machine is gone without a word, and another one has its address: what was connected hangs for good. */
  forsake(): void {
    this.isFrozen = false;
    for (const socket of this.sockets) socket.pause();
    this.forsaken.push(...this.sockets);
    this.sockets.clear();
  }

  restore(): void {
    this.isCut = false;
    this.isFrozen = false;
    for (const socket of this.sockets) socket.resume();
  }

  async close(): Promise<void> {
    this.cut();
    for (const socket of this.forsaken) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(client: Socket): void {
    if (this.isCut) {
      client.destroy();
      return;
    }
    const upstream = connect(this.target);
    client.on('data', (chunk: Buffer) => this.pass(chunk, client, upstream));
    upstream.on('data', (chunk) => client.write(chunk));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      if (this.isFrozen) from.pause();
    }
  }

  private pass(chunk: Buffer, client: Socket, upstream: Socket): void {
    const verdict = this.judge(chunk);
    const goOn = () => upstream.write(chunk);
    if (typeof verdict === 'object') {
      if ('answer' in verdict) client.write(verdict.answer);
      else setTimeout(goOn, verdict.lateMs);
      return;
    }
    if (verdict === 'reset after its answer')
      upstream
        .removeAllListeners('data')
        .once('data', (answer) => client.write(answer, () => client.resetAndDestroy()));
    if (verdict === 'cut after') upstream.removeAllListeners('data').once('data', () => this.cut());
    if (verdict === 'cut before') this.cut();
    else goOn();
  }
}

function targetOf(url: string): NetConnectOpts {
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? { path: host } : { host, port: Number(port || 6379) };
}
