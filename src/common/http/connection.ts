import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What is known of an open connection of a client. */
export interface Connection {
  socket: Socket;
  /** The responses that are not sent yet, in the order of their requests, the waiting ones included. */
  unanswered: ServerResponse[];
  /** Starts each request that has not begun yet, in the order of their arrival. */
  waiting: (() => void)[];
  /** Whether the request that began last may change something: its method is not safe. */
  isChanging: boolean;
  /** The response to the newest request, possibly sent already; null if that is over: its body may hold a password. */
  last: ServerResponse | null;
  /** How the request begins whose headers are arriving, as long as it began what was read; null if none does, or it did not. */
  beginning: Buffer | null;
}

const CONNECTION = Symbol('connection');
interface HasConnection {
  [CONNECTION]?: Connection;
}

/** To be called once, when the connection opens. */
export function newConnection(socket: Socket & HasConnection): Connection {
  return (socket[CONNECTION] = { socket, unanswered: [], waiting: [], isChanging: false, last: null, beginning: null });
}

/**
 * To be called with the response to each request, when its headers have arrived. The connection is kept at the response, since a
 * proxy within the service may take the request's socket from it (undici does).
 */
export function noteRequest(connection: Connection, response: ServerResponse & HasConnection): void {
  connection.last = response;
  connection.unanswered.push(response);
  connection.beginning = null;
  response[CONNECTION] = connection;
}

/** To be called when the response to a request was sent, or will not be. */
export function noteAnswered(connection: Connection, response: ServerResponse): void {
  const place = connection.unanswered.indexOf(response);
  if (place >= 0) connection.unanswered.splice(place, 1);
  // What still arrives of it belongs to no other request.
  if (connection.last === response && response.req.complete) connection.last = null;
}

/**
 * Closes the responses that are left when a connection has ended: Node closes only the one that was being written, and those behind
 * it would keep files open for ever.
 */
export function closeUnanswered({ unanswered }: Connection): void {
  for (const response of unanswered.slice()) {
    // As Node does it.
    Object.assign(response, { destroyed: true, _closed: true });
    response.emit('close');
  }
}

export function connectionOf(end: (Socket | ServerResponse) & HasConnection): Connection | undefined {
  return end[CONNECTION];
}

/**
 * Behind blank lines, which a server should skip (RFC 9112 section 2.2). What follows the target begins with a space: where it could
 * begin with anything, a line without an end would be tried at each of its characters.
 */
const FIRST_LINE = /^\s*[\w!#$%&'*+.^`|~-]+ (\S+)(?:[^\S\n][^\n]*)?\n/;
/** More of a first line than it takes to see which part of the API it names. */
const BEGINNING_BYTES = 512;

/** To be called with what is read, before it is parsed: of a request whose headers are refused, nothing else is known. */
export function noteBeginning(connection: Connection, read: Buffer): void {
  const { beginning, last } = connection;
  const isOfBody = last?.req.complete === false;
  if (isOfBody) return;
  if (beginning === null) connection.beginning = read;
  else if (beginning.length < BEGINNING_BYTES && !FIRST_LINE.test(beginning.toString('latin1')))
    connection.beginning = Buffer.concat([beginning, read]);
}

/** The target of a request whose headers have not all arrived; empty if it cannot be told. */
export function targetBegun(connection: Connection | undefined): string {
  return FIRST_LINE.exec(connection?.beginning?.toString('latin1') ?? '')?.[1] ?? '';
}
