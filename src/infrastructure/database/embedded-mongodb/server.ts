import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { dispatch } from './commands/dispatcher.js';
import { makeSocketPrivate } from './directory.js';
import type { Engine } from './engine/engine.js';
import { formatReply, FrameReader, parseRequest } from './wire/message.js';

const SWEEP_INTERVAL_MS = 60_000;
const LOOK_AGAIN_MS = 25;

/** Answers the MongoDB wire protocol on a unix socket. */
export class WireServer {
  private readonly sockets = new Set<Socket>();
  private sweeper: NodeJS.Timeout | undefined;
  private readonly server: Server;

  /** @param beforeClose called while the store is still open */
  constructor(
    private readonly engine: Engine,
    private readonly beforeClose?: () => void,
  ) {
    this.server = createServer((socket) => this.serve(socket));
  }

  /** @throws Error when the path cannot be listened on */
  async listen(socketPath: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      // Also, and then in vain, for a connection that is not accepted later, for want of memory: no reason to end.
      this.server.on('error', reject);
      this.server.listen(socketPath, resolve);
    });
    makeSocketPrivate(socketPath);
    this.engine.address = socketPath;
    this.sweeper = setInterval(() => void this.engine.sweep().catch(() => undefined), SWEEP_INTERVAL_MS);
    this.sweeper.unref();
  }

  /** Waits until nobody is connected any more. */
  async unused(): Promise<void> {
    while (this.sockets.size > 0) await sleep(LOOK_AGAIN_MS);
  }

  /** Commands that already run are finished, so that nothing is acknowledged and lost. */
  async close(): Promise<void> {
    clearInterval(this.sweeper);
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    await closed;
    await this.engine.close(this.beforeClose);
  }

  private serve(socket: Socket): void {
    const reader = new FrameReader();
    let queue = Promise.resolve();
    this.sockets.add(socket);
    socket.on('close', () => {
      this.sockets.delete(socket);
      this.engine.sessions.abandon(socket);
    });
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const frame of reader.push(chunk)) {
          // One command of a connection at a time: the next one may rely on what this one wrote.
          queue = queue.then(() => this.answer(socket, frame));
        }
      } catch {
        socket.destroy();
      }
    });
  }

  private async answer(socket: Socket, frame: Buffer): Promise<void> {
    if (socket.destroyed) return;
    try {
      const request = parseRequest(frame);
      const reply = await dispatch(this.engine, request.command, socket);
      if (request.expectsReply && !socket.destroyed) socket.write(formatReply(request, reply));
    } catch {
      // What does not speak the protocol gets no answer.
      socket.destroy();
    }
  }
}
