import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A connection on which bytes are sent as they are. */
export function openConnection(url: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      // From here on the service may cut it as it likes.
      socket.removeListener('error', reject).on('error', () => undefined);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** All that comes until the connection ends. */
export function untilClosed(socket: Socket): Promise<string> {
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  return new Promise((resolve) => socket.once('close', () => resolve(answer)));
}

/** By then the connection has ended, where a request asks for that or is refused. */
const END_LIMIT_MS = 10_000;

/** Sends bytes, and yields what came back when the connection ended. @throws Error if it does not end */
export async function exchange(url: string, ...parts: (string | Buffer)[]): Promise<string> {
  const socket = await openConnection(url);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  const isClosed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)));
  for (const part of parts) socket.write(part);
  const isOver = await Promise.race([isClosed, pause(END_LIMIT_MS, false, { ref: false })]);
  socket.destroy();
  if (!isOver) throw new Error(`The connection did not end within ${END_LIMIT_MS} ms: ${answer}`);
  return answer;
}

interface RawAnswer {
  status: number;
  headers: Headers;
  /** The parsed JSON body; null where there is none. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
  text: string;
}

/** The first answer of an exchange, as a client would read it. */
export function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Headers(fields.map((field) => field.split(/: ?(.*)/s, 2) as [string, string]));
  const body = rest.join('\r\n\r\n');
  const isJson = headers.get('content-type')?.startsWith('application/json') && body;
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1] ?? 0),
    headers,
    body: isJson ? JSON.parse(body) : null,
    text: body,
  };
}
