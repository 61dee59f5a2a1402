import { createServer } from 'node:http';
/** A client that drips its request is cut off. */
const REQUEST_TIMEOUT_MS = 10_000;
const CONNECTION_TIMEOUT_MS = 30_000;
/** Longer than that of common load balancers: they close first, and never write to a connection that is closing. */
const KEEP_ALIVE_MS = 65_000;
const MAX_REQUESTS_AHEAD = 4;
const SLICE_BYTES = 2_048;
/**
 * Node hands over all requests of one read at once: a client that sends thousands of tiny ones, and reads no answer, would
 * have every answer held in memory. No client in use sends more than a few ahead. Refused here, before Fastify makes
 * objects of its own for each.
 */
export function createBoundedServer(handle) {
    const unanswered = new WeakMap();
    const server = createServer((request, response) => {
        const { socket } = request;
        const count = (unanswered.get(socket) ?? 0) + 1;
        if (count > MAX_REQUESTS_AHEAD)
            socket.destroy();
        if (socket.destroyed)
            return;
        unanswered.set(socket, count);
        response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
        handle(request, response);
    });
    server.on('connection', readInSlices);
    server.requestTimeout = REQUEST_TIMEOUT_MS;
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.setTimeout(CONNECTION_TIMEOUT_MS);
    return server;
}
/**
 * Feeds Node's parser a little at a time, as a slow network would: one read of 64 KiB holds thousands of tiny requests,
 * for each of which Node makes its objects before anybody can object.
 */
function readInSlices(socket) {
    const parse = socket.listeners('data')[0];
    if (!parse)
        return;
    socket.removeListener('data', parse);
    socket.on('data', (chunk) => {
        for (let start = 0; start < chunk.length && !socket.destroyed; start += SLICE_BYTES) {
            parse.call(socket, chunk.subarray(start, start + SLICE_BYTES));
        }
    });
}
//# sourceMappingURL=bounded-server.js.map