import { AsyncResource } from 'node:async_hooks';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type Connection, connectionOf, newConnection } from './connection.js';
import { Roster } from './roster.js';

const CONNECTION_TIMEOUT_MS = 30_000;
/** Longer than that of common load balancers: they close first, and never write to a connection that is closing. */
const KEEP_ALIVE_MS = 65_000;
const MAX_REQUESTS_AHEAD = 4;
const SLICE_BYTES = 2_048;
/** A proxy that still sends requests uses each of its connections within it; one that is idle longer waits for nothing. */
const DRAIN_MS = 1_000;
/** Clients that go on connecting all the time do not keep it from stopping. Under load a look takes milliseconds. */
const ACCEPT_MS = 1_000;
/** Any answer is given by then, and what waited for it begins. */
const BEGIN_MS = 5_000;
const LOOK_EVERY_MS = 10;

/**
 * RFC 9110 section 9.2.1. Of pipelined requests only these may be at work at once (RFC 9112 section 9.3.2): what a client
 * sends behind a logout is to find it logged out.
 */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

export interface BoundedServer extends Server {
  /**
   * Stops listening, but not answering: each further answer ends its connection (`Connection: close`, RFC 9112 section 9.6).
   * A connection cut while idle may have a request on its way, which would be lost.
   * @returns once no connection is left, at most after two seconds
   */
  drain(): Promise<void>;
  /** @returns once no request waits for another on its connection any more, at most after five seconds */
  allBegun(): Promise<void>;
  /**
   * Cuts the connections without a request, and the others after their answer. Node waits for all, and does not count one
   * that never carried a request among the idle.
   */
  letGo(): void;
}

/**
 * Node hands over all requests of one read at once: a client that sends thousands of tiny ones, and reads no answer, would
 * have every answer held in memory. No client in use sends more than a few ahead. Refused here, before Fastify makes
 * objects of its own for each.
 * @param requestTimeoutMs a client that drips its request is cut off then, or a fifth later
 */
export function createBoundedServer(handle: RequestListener, requestTimeoutMs: number): BoundedServer {
  const connections = new Roster<Connection>();
  let isDraining = false;
  let isLettingGo = false;
  // One listener for all answers, which finds its connection by itself: this runs for every request.
  function answered(this: ServerResponse): void {
    const { socket } = this.req;
    const connection = connectionOf(socket);
    if (connection) {
      connection.unanswered -= 1;
      // What has not begun when the connection ends is not done.
      if (connection.unanswered === connection.waiting.length && socket.writable) connection.waiting.shift()?.();
    }
    if (isLettingGo && !connection?.unanswered) socket.destroySoon();
  }
  const begin = (connection: Connection, isSafe: boolean, request: IncomingMessage, response: ServerResponse) => {
    connection.isChanging = !isSafe;
    handle(request, response);
  };
  const options = {
    // That of the headers is the same by default, where it is less than a minute.
    requestTimeout: requestTimeoutMs,
    // By default Node looks every 30 seconds.
    connectionsCheckingInterval: requestTimeoutMs / 5,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node's own refusal would be bare; a hook of ours refuses with the usual answer.
    requireHostHeader: false,
  };
  const server = createServer(options, (request, response) => {
    const { socket } = request;
    const connection = connectionOf(socket);
    if (!connection || socket.destroyed || connection.unanswered === MAX_REQUESTS_AHEAD) {
      socket.destroy();
      return;
    }
    connection.last = response;
    if (isDraining) response.setHeader('connection', 'close');
    response.on('close', answered);
    const isSafe = SAFE_METHODS.has(request.method as string);
    const { unanswered, waiting, isChanging } = connection;
    connection.unanswered += 1;
    if (unanswered === 0 || (isSafe && !isChanging && waiting.length === 0))
      begin(connection, isSafe, request, response);
    // In its own context: a trace is not to have it for a part of the request before it.
    else waiting.push(AsyncResource.bind(() => begin(connection, isSafe, request, response)));
  });
  server.on('connection', (socket: Socket) => {
    // Node keeps what it was once asked for; of a connection that breaks under its requests it could not be learned any more.
    if (!socket.remoteAddress) {
      socket.destroy();
      return;
    }
    const place = connections.add(newConnection(socket));
    socket.once('close', () => connections.remove(place));
    readInSlices(socket);
  });
  // An expectation that nobody knows may be passed over (RFC 9110 section 10.1.1); Node would answer it, barely.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.setTimeout(CONNECTION_TIMEOUT_MS);
  const drain = async () => {
    await acceptWaiting(server);
    isDraining = true;
    for (const { last } of connections.present()) {
      if (last && !last.headersSent) last.setHeader('connection', 'close');
    }
    // The HTTP server's own would cut the idle connections at once.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    await Promise.race([closed, pause(DRAIN_MS, undefined, { ref: false })]);
    // What came while the process stood still is not late.
    await lookAtSockets();
  };
  const allBegun = async () => {
    const end = performance.now() + BEGIN_MS;
    const isOneWaiting = () => [...connections.present()].some(({ waiting }) => waiting.length > 0);
    while (isOneWaiting() && performance.now() < end) await pause(LOOK_EVERY_MS);
  };
  const letGo = () => {
    isLettingGo = true;
    for (const { socket, unanswered } of connections.present()) if (unanswered === 0) socket.destroySoon();
  };
  return Object.assign(server, { drain, allBegun, letGo });
}

/** To their clients, connections that wait in the kernel are open already; with the listener it would reset them. */
async function acceptWaiting(server: Server): Promise<void> {
  const end = performance.now() + ACCEPT_MS;
  let isQuiet: boolean;
  const accepted = () => (isQuiet = false);
  server.on('connection', accepted);
  do {
    isQuiet = true;
    // One connection is accepted at each look.
    await lookAtSockets();
  } while (!isQuiet && performance.now() < end);
  server.off('connection', accepted);
}

async function lookAtSockets(): Promise<void> {
  await nextTurn();
  // That may have come before this turn of the loop asked the kernel.
  await nextTurn();
}

/**
 * Feeds Node's parser a little at a time, as a slow network would: one read of 64 KiB holds thousands of tiny requests,
 * for each of which Node makes its objects before anybody can object.
 */
function readInSlices(socket: Socket & { parser?: object | null }): void {
  const parse = socket.listeners('data')[0] as ((chunk: Buffer) => void) | undefined;
  if (!parse) return;
  socket.removeListener('data', parse);
  socket.on('data', function feed(chunk: Buffer) {
    for (let start = 0; start < chunk.length && !socket.destroyed; start += SLICE_BYTES) {
      parse.call(socket, chunk.length <= SLICE_BYTES ? chunk : chunk.subarray(start, start + SLICE_BYTES));
      if (socket.parser) continue;
      // The connection speaks another protocol from now on (RFC 9110 section 7.8), and its parser reads somebody else's
      // requests: Node has taken away its own listener, which this one stands for.
      socket.removeListener('data', feed);
      const rest = chunk.subarray(start + SLICE_BYTES);
      if (rest.length > 0) socket.push(rest);
      return;
    }
  });
}
