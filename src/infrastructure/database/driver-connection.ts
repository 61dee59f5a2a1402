import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { mongo } from 'mongoose';

interface Writing {
  signal?: AbortSignal;
}
type Connection = new (
  socket: Socket,
  options: object,
) => { writeCommand(command: object, options: Writing): Promise<void> };

const require = createRequire(import.meta.url);
/** From the copy of the driver that Mongoose uses; the driver does not export it. */
const { Connection } = createRequire(require.resolve('mongoose'))('mongodb/lib/cmap/connection.js') as {
  Connection: Connection;
};

/**
 * A connection whose commands fail when its socket closes. The driver's own (7.9) waits for the socket's `drain` before it
 * looks at errors. A socket that closed just before, or in the middle of a large command, never drains, and the command never
 * ends: that would stop background work, and the driver's own monitoring of the server, for ever.
 */
export class DriverConnection extends Connection {
  /** A private field, since a property could clash with one of the driver's. */
  readonly #end: AbortSignal;

  constructor(socket: Socket, options: object) {
    super(socket, options);
    const closing = new AbortController();
    this.#end = closing.signal;
    socket.once('close', () =>
      closing.abort(new mongo.MongoNetworkError('The connection closed before the command was sent')),
    );
  }

  override writeCommand(command: object, options: Writing): Promise<void> {
    return super.writeCommand(command, { ...options, signal: options.signal ?? this.#end });
  }
}

/** The driver's option for it, which its types lack. */
export const OWN_CONNECTION: object = { connectionType: DriverConnection };
