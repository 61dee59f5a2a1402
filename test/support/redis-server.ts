import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { freePort } from './free-port.js';

/** A Redis of one's own, which keeps nothing. */
export interface RedisServer {
  url: string;
  port: number;
  /** As an administrator who has been connected since its start. */
  send(...command: string[]): Promise<unknown>;
  /** Answers nobody for so long, on connections that stay, as while the system copies its memory for a snapshot. */
  pause(ms: number): void;
  stop(): Promise<void>;
}

export async function answers(url: string): Promise<boolean> {
  const client = clientOf(url);
  try {
    await client.connect();
    await client.disconnect();
    return true;
  } catch {
    return false;
  }
}

/**
 * @param password that it asks for, if any
 * @param more options of its command line
 * @returns null where redis-server is not installed
 */
export async function startRedis(password?: string, more: string[] = []): Promise<RedisServer | null> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'redis-'));
  const url = `redis://${password ? `:${password}@` : ''}127.0.0.1:${port}`;
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '-::1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    directory,
    ...more,
  ];
  if (password) args.push('--requirepass', password);
  const child: ChildProcess = spawn('redis-server', args, { stdio: 'ignore' });
  const failed = once(child, 'error').then(() => true);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (await answers(url)) {
      const administrator = clientOf(url);
      await administrator.connect();
      const stop = async () => {
        await administrator.disconnect();
        child.kill();
        await once(child, 'exit');
        rmSync(directory, { recursive: true, force: true });
      };
      const pause = (ms: number) => {
        child.kill('SIGSTOP');
        setTimeout(() => child.kill('SIGCONT'), ms);
      };
      return { url, port, send: (...command) => administrator.sendCommand(command), pause, stop };
    }
    if (await Promise.race([failed, new Promise((resolve) => setTimeout(() => resolve(false), 50))])) break;
  }
  child.kill();
  return null;
}

function clientOf(url: string) {
  const client = createClient({ url, socket: { reconnectStrategy: false, connectTimeout: 1_000 } });
  client.on('error', () => undefined);
  return client;
}
