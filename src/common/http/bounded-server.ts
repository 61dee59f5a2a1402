import { AsyncResource } from 'node:async_hooks';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import {
  closeUnanswered,
  type Connection,
  connectionOf,
  newConnection,
  noteAnswered,
  noteBeginning,
  noteRequest,
} from './connection.js';
import { Roster } from './roster.js';

const CONNECTION_TIMEOUT_MS = 30_000;
/** Longer than the idle time-out of common load balancers, so that they close first and never write to a closing connection. */
const KEEP_ALIVE_MS = 65_000;
const MAX_REQUESTS_AHEAD = 4;
const SLICE_BYTES = 2_048;
/** While draining: an active proxy uses each of its connections within this time, and so is told to close it. */
const DRAIN_MS = 1_000;
/** Upper bound for accepting connections during a stop, for clients that never cease to connect. */
const ACCEPT_MS = 1_000;
/** By then every running request has been answered (`answerInTime`), so that those waiting behind it have begun. */
const BEGIN_MS = 5_000;
const LOOK_EVERY_MS = 10;
const WARN_EVERY_MS = 1_000;
const MOST_LISTENERS = 20;

/** Header lines that a request may have. Many short ones take several times the memory of their bytes. */
export const MOST_HEADERS = 100;

/**
 * Safe methods (RFC 9110 section 9.2.1). Only these may run side by side when a client pipelines requests (RFC 9112 section
 * 9.3.2): a request sent after a logout must find the session ended.
 */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

export interface BoundedServer extends Server {
  /**
   * Stops listening, but goes on answering on open connections, each of which ends with its next answer (`Connection: close`,
   * RFC 9112 section 9.6). To cut idle connections at once would lose requests that are on their way.
   * @returns once no connection is left, at most after two seconds
   */
  drain(): Promise<void>;
  /** @returns once no pipelined request is waiting for an earlier one, at most after five seconds */
  allBegun(): Promise<void>;
  /**
   * Closes idle connections at once, and the others after their answer. Node's own close() waits for connections that never
   * carried a request, since it does not count them as idle.
   */
  letGo(): void;
}

/**
 * An HTTP server that bounds what one connection can cost. Node parses all requests that arrive in one read: a client that
 * pipelines thousands of tiny requests, and reads no answer, would have every answer held in memory. Real clients send a few
 * ahead at most; more than four end the connection here, before Fastify makes objects of its own for them.
 * @param requestTimeoutMs after this time, or a fifth more, a client that sends its request too slowly is cut off
 */
export function createBoundedServer(handle: RequestListener, requestTimeoutMs: number): BoundedServer {
  const logger = new Logger('Http');
  const connections = new Roster<Connection>();
  let isDraining = false;
  let isLettingGo = false;
  // One function for all answers and not a closure for each: this runs for every request.
  function answered(this: ServerResponse): void {
    const connection = connectionOf(this) as Connection;
    const { socket, waiting, unanswered } = connection;
    noteAnswered(connection, this);
    // Requests still waiting when the connection ends are never started.
    if (unanswered.length === waiting.length && socket.writable) waiting.shift()?.();
    if (isLettingGo && unanswered.length === 0) socket.destroySoon();
  }
  const begin = (connection: Connection, isSafe: boolean, request: IncomingMessage, response: ServerResponse) => {
    connection.isChanging = !isSafe;
    handle(request, response);
  };
  const options = {
    // Node takes it for the headers' time-out too, where it is below a minute.
    requestTimeout: requestTimeoutMs,
    // By default Node looks every 30 seconds.
    connectionsCheckingInterval: requestTimeoutMs / 5,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node would refuse with an empty answer; a hook of ours refuses with the usual envelope.
    requireHostHeader: false,
  };
  const server = createServer(options, (request, response) => {
    const { socket } = request;
    const connection = connectionOf(socket);
    if (!connection || socket.destroyed || connection.unanswered.length === MAX_REQUESTS_AHEAD) {
      socket.destroy();
      return;
    }
    noteRequest(connection, response);
    if (isDraining) response.setHeader('connection', 'close');
    response.on('close', answered);
    // A file whose client has left has ten of Nest and Fastify. With more than ten, Node warns of a leak.
    response.setMaxListeners(MOST_LISTENERS);
    const isSafe = SAFE_METHODS.has(request.method as string);
    const { unanswered, waiting, isChanging } = connection;
    if (unanswered.length === 1 || (isSafe && !isChanging && waiting.length === 0))
      begin(connection, isSafe, request, response);
    // In its own async context: else tracing would count it as a part of the request before it.
    else waiting.push(AsyncResource.bind(() => begin(connection, isSafe, request, response)));
  });
  // Node leaves out what is beyond, or refuses it (from 26 on). One more tells a request with too many from one with just as many.
  server.maxHeadersCount = MOST_HEADERS + 1;
  server.on('connection', (socket: Socket) => {
    // The address cannot be read once the connection is broken; Node remembers it when it was read before.
    if (!socket.remoteAddress) {
      socket.destroy();
      return;
    }
    const connection = newConnection(socket);
    const place = connections.add(connection);
    socket.once('close', () => {
      connections.remove(place);
      // By then Node has closed the one that was being written.
      if (connection.unanswered.length > 0) setImmediate(closeUnanswered, connection);
    });
    readInSlices(connection);
  });
  // An unknown expectation may be ignored (RFC 9110 section 10.1.1); Node would answer it with an empty 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // A connection that could not be accepted, e.g. for want of memory; without a listener that would end the process.
  let warnedAt = -Infinity;
  server.on('error', ({ message }) => {
    const isDue = performance.now() - warnedAt > WARN_EVERY_MS;
    if (!server.listening || !isDue) return;
    warnedAt = performance.now();
    logger.warn(`Connections are not accepted: ${message}`);
  });
  server.setTimeout(CONNECTION_TIMEOUT_MS);
  const drain = async () => {
    await acceptWaiting(server);
    isDraining = true;
    for (const { last } of connections.present()) {
      if (last && !last.headersSent) last.setHeader('connection', 'close');
    }
    // http.Server's own close() would cut idle connections at once.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    await Promise.race([closed, pause(DRAIN_MS, undefined, { ref: false })]);
    // Requests that arrived while the process stood still are still served.
    await lookAtSockets();
  };
  const allBegun = async () => {
    const end = performance.now() + BEGIN_MS;
    const isOneWaiting = () => [...connections.present()].some(({ waiting }) => waiting.length > 0);
    while (isOneWaiting() && performance.now() < end) await pause(LOOK_EVERY_MS);
  };
  const letGo = () => {
    isLettingGo = true;
    for (const { socket, unanswered } of connections.present()) if (unanswered.length === 0) socket.destroySoon();
  };
  return Object.assign(server, { drain, allBegun, letGo });
}

/** Connections in the kernel's accept queue count as open to their clients; closing the listener would reset them. */
async function acceptWaiting(server: Server): Promise<void> {
  const end = performance.now() + ACCEPT_MS;
  let isQuiet: boolean;
  const accepted = () => (isQuiet = false);
  server.on('connection', accepted);
  do {
    isQuiet = true;
    // Node accepts one connection in each turn of the event loop.
    await lookAtSockets();
  } while (!isQuiet && performance.now() < end);
  server.off('connection', accepted);
}

async function lookAtSockets(): Promise<void> {
  await nextTurn();
  // The first turn may have begun before the event loop polled the kernel.
  await nextTurn();
}

/**
 * Feeds Node's parser a little at a time, as a slow network would: one read of 64 KiB can hold thousands of tiny requests, and
 * Node makes its objects for all of them before the connection can be ended.
 */
function readInSlices(connection: Connection): void {
  const socket = connection.socket as Socket & { parser?: object | null };
  const parse = socket.listeners('data')[0] as ((chunk: Buffer) => void) | undefined;
  if (!parse) return;
  socket.removeListener('data', parse);
  socket.on('data', function feed(chunk: Buffer) {
    for (let start = 0; start < chunk.length && !socket.destroyed; start += SLICE_BYTES) {
      const slice = chunk.length <= SLICE_BYTES ? chunk : chunk.subarray(start, start + SLICE_BYTES);
      noteBeginning(connection, slice);
      parse.call(socket, slice);
      if (socket.parser) continue;
      // The connection was upgraded to another protocol (RFC 9110 section 7.8), and Node has detached its parser: detach too.
      socket.removeListener('data', feed);
      const rest = chunk.subarray(start + SLICE_BYTES);
      if (rest.length > 0) socket.push(rest);
      return;
    }
  });
}
