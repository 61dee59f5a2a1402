import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A client's, while it is open. */
export interface Connection {
  socket: Socket;
  /** How many of its requests have no answer yet. */
  unanswered: number;
  /** Those of them that have not begun, in the order in which they came. */
  waiting: (() => void)[];
  /** Whether the one that began last may change something. */
  isChanging: boolean;
  /** The answer to the newest request, which may be sent already; null where none came yet. */
  last: ServerResponse | null;
}

const CONNECTION = Symbol('connection');
type KnownSocket = Socket & { [CONNECTION]?: Connection };

/** To be called when it opens. */
export function newConnection(socket: KnownSocket): Connection {
  return (socket[CONNECTION] = { socket, unanswered: 0, waiting: [], isChanging: false, last: null });
}

export function connectionOf(socket: KnownSocket): Connection | undefined {
  return socket[CONNECTION];
}
