import type { Binary, Document } from 'mongodb';
import { FrameReader, parseRequest } from '../../src/infrastructure/database/embedded-mongodb/wire/message.js';
import { TcpProxy, type Verdict } from './tcp-proxy.js';
import { startTestApp, type TestApp } from './test-app.js';

const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify', 'commitTransaction']);
/** Written behind the answers too, by whoever is not part of the request. */
const BACKGROUND = new Set(['mails', 'security_events', 'dev_inbox']);

/**
 * A service that can die between two writes: from the chosen one on nothing of it reaches the database, and nothing
 * comes back. For the database, and whoever starts anew on it, that is a SIGKILL.
 */
export class MortalApp {
  private dieAt = Infinity;
  private mode: 'cut before' | 'cut after' = 'cut before';
  private writes = 0;
  private resolveDeath!: () => void;
  private readonly sessions = new Map<string, Document>();
  readonly death = new Promise<void>((resolve) => (this.resolveDeath = resolve));

  private constructor(
    private readonly proxy: TcpProxy,
    readonly test: TestApp,
  ) {
    proxy.judge = (chunk) => this.judge(chunk);
  }

  static async start(storeUri: string): Promise<MortalApp> {
    const proxy = await TcpProxy.before(storeUri);
    return new MortalApp(
      proxy,
      await startTestApp({ env: { MONGODB_URI: proxy.mongodbUri, AUTH_RATE_LIMIT: '100000', REFRESH_GRACE: '60s' } }),
    );
  }

  /** @param write counted from now on, from 1 */
  dieAtWrite(write: number, mode: 'cut before' | 'cut after'): void {
    this.writes = 0;
    this.dieAt = write;
    this.mode = mode;
  }

  live(): void {
    this.dieAt = Infinity;
  }

  /** The database's sessions that it leaves behind; a transaction in one of them holds what it wrote for up to a minute. */
  get sessionsLeft(): Document[] {
    return [...this.sessions.values()];
  }

  async bury(): Promise<void> {
    await this.test.close();
    await this.proxy.close();
  }

  private judge(chunk: Buffer): Verdict {
    for (const frame of new FrameReader().push(chunk)) {
      const { command } = parseRequest(frame);
      const { lsid } = command as { lsid?: { id: Binary } };
      if (lsid) this.sessions.set(lsid.id.toString('hex'), lsid);
      if (!isWriteOfARequest(command)) continue;
      this.writes += 1;
      if (this.writes !== this.dieAt) continue;
      this.resolveDeath();
      return this.mode;
    }
    return 'pass';
  }
}

function isWriteOfARequest(command: Document): boolean {
  const [name = ''] = Object.keys(command);
  return WRITES.has(name) && (command.autocommit === false || !BACKGROUND.has(String(command[name])));
}
