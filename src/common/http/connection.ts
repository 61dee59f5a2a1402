import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What is known of an open connection of a client. */
export interface Connection {
  socket: Socket;
  /** Requests without an answer yet, the waiting ones included. */
  unanswered: number;
  /** Starts each request that has not begun yet, in the order of their arrival. */
  waiting: (() => void)[];
  /** Whether the request that began last may change something: its method is not safe. */
  isChanging: boolean;
  /** The response to the newest request, possibly sent already; null before the first request. */
  last: ServerResponse | null;
  /** The first bytes of a request whose headers have not all arrived: until then nothing else is known of it. Else null. */
  beginning: Buffer | null;
}

const CONNECTION = Symbol('connection');
type KnownSocket = Socket & { [CONNECTION]?: Connection };

/** To be called once, when the connection opens. */
export function newConnection(socket: KnownSocket): Connection {
  return (socket[CONNECTION] = { socket, unanswered: 0, waiting: [], isChanging: false, last: null, beginning: null });
}

export function connectionOf(socket: KnownSocket): Connection | undefined {
  return socket[CONNECTION];
}
