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
/** Of the driver that Mongoose has; it does not export it. */
const { Connection } = createRequire(require.resolve('mongoose'))('mongodb/lib/cmap/connection.js') as {
  Connection: Connection;
};

/**
 * A command fails with the socket that it is written to. The driver's own connection (7.9) waits for a socket to drain that
 * ended a moment before, or never took all of a large command: it never does, and whoever waits for the answer waits for
 * ever, a loop of background work and the driver's own watch over its server among them.
 */
export class DriverConnection extends Connection {
  /** Not a property: it could be one of the driver's. */
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

/** The option for it, which the driver leaves out of its types. */
export const OWN_CONNECTION: object = { connectionType: DriverConnection };
