/**
 * Sends HTTP/1.1 requests over sockets that stay open, one at a time on each, and counts. A job comes as a message:
 *   requests   the requests' texts; the connections take turns with them
 *   seconds    how long
 *   parallel   connections
 *   perSecond  sends so many, evenly; without it each connection sends its next as soon as it has its answer
 *   mayFail    refusals count like answers; without it the first one ends the job
 *   chain      the request's body is the refresh token of the answer before; each connection begins with another request
 */
import { once } from 'node:events';
import { connect } from 'node:net';

const HEAD_END = '\r\n\r\n';

class Connection {
  static async open(port) {
    const connection = new Connection();
    connection.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(connection.socket, 'connect');
    connection.socket.setEncoding('latin1');
    connection.socket.on('data', (text) => connection.receive(text));
    connection.socket.on('error', (error) => connection.fail?.(error));
    connection.socket.on('close', () => connection.fail?.(new Error('The service closed the connection')));
    return connection;
  }

  /** @returns status and body of the answer */
  send(request) {
    this.received = '';
    this.length = 0;
    this.socket.write(request);
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.fail = reject;
    });
  }

  receive(text) {
    this.received += text;
    if (this.length === 0) {
      const end = this.received.indexOf(HEAD_END);
      if (end < 0) return;
      this.bodyAt = end + HEAD_END.length;
      this.length = this.bodyAt + Number(/content-length: (\d+)/i.exec(this.received)[1]);
    }
    if (this.received.length < this.length) return;
    this.resolve({ status: Number(this.received.slice(9, 12)), body: this.received.slice(this.bodyAt) });
  }
}

function successor(request, { body }) {
  const text = JSON.stringify({ refresh_token: JSON.parse(body).data.refresh_token });
  return `${request.slice(0, request.indexOf('content-length'))}content-length: ${text.length}${HEAD_END}${text}`;
}

class Tally {
  latencies = [];
  statuses = {};
  constructor({ mayFail }) {
    this.mayFail = mayFail;
  }
  add({ status, body }, since) {
    if (status >= 400 && !this.mayFail) throw new Error(`${status} ${body}`);
    this.latencies.push(performance.now() - since);
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }
  summary(elapsedMs) {
    const sorted = Float64Array.from(this.latencies).sort();
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
    const { statuses } = this;
    return { perSecond: (sorted.length * 1000) / elapsedMs, p50: at(0.5), p99: at(0.99), max: at(1), statuses };
  }
}

/** Keeps the generator's core awake: waking it for each answer would be the server's work, and counted as such. */
async function stayAwake(job) {
  let isOver = false;
  const done = job.finally(() => (isOver = true));
  while (!isOver) await new Promise(setImmediate);
  return done;
}

async function saturate(connections, { requests, seconds, chain, mayFail }) {
  const tally = new Tally({ mayFail });
  const start = performance.now();
  const last = await Promise.all(
    connections.map(async (connection, i) => {
      let turn = i;
      let request = requests[turn % requests.length];
      for (let sent = performance.now(); sent - start < seconds * 1000; sent = performance.now()) {
        const answer = await connection.send(request);
        tally.add(answer, sent);
        turn += connections.length;
        request = chain ? successor(request, answer) : requests[turn % requests.length];
      }
      return request;
    }),
  );
  return { ...tally.summary(performance.now() - start), last };
}

/** A request counts from the moment it was due: one that had to wait for its turn is not made to look fast. */
async function pace(connections, { requests, seconds, perSecond, mayFail }) {
  const tally = new Tally({ mayFail });
  const free = [...connections];
  const total = seconds * perSecond;
  const start = performance.now();
  let sent = 0;
  let failure;
  while (tally.latencies.length < total) {
    if (failure) throw failure;
    const due = start + (sent * 1000) / perSecond;
    if (sent < total && free.length > 0 && performance.now() >= due) {
      const connection = free.pop();
      const answered = connection.send(requests[sent++ % requests.length]).then((answer) => {
        tally.add(answer, due);
        free.push(connection);
      });
      answered.catch((error) => (failure = error));
    } else {
      // Not a timer: those are a millisecond late.
      await new Promise(setImmediate);
    }
  }
  return tally.summary(performance.now() - start);
}

process.on('message', async ({ id, job }) => {
  try {
    const connections = await Promise.all(Array.from({ length: job.parallel }, () => Connection.open(job.port)));
    const outcome = await (job.perSecond ? pace(connections, job) : stayAwake(saturate(connections, job)));
    for (const connection of connections) {
      connection.fail = undefined;
      connection.socket.destroy();
    }
    process.send({ id, outcome });
  } catch (error) {
    process.send({ id, error: error.message });
  }
});
console.log('load generator ready');
