import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { deserialize, serialize, type Document } from 'bson';

export function socketPathOf(uri: string): string {
  return decodeURIComponent(/^mongodb:\/\/([^/]+)\//.exec(uri)?.[1] ?? '');
}

/** An OP_MSG frame with one section. */
export function frameOf(command: Document): Buffer {
  const body = serialize(command);
  const frame = Buffer.alloc(21 + body.length);
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE(7, 4);
  frame.writeInt32LE(2013, 12);
  frame.set(body, 21);
  return frame;
}

/** Sends commands as they are, without a driver that adds sessions of its own. */
export class RawConnection {
  private constructor(readonly socket: Socket) {}

  static async open(uri: string): Promise<RawConnection> {
    const socket = connect(socketPathOf(uri));
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  async command(command: Document): Promise<Document> {
    this.socket.write(frameOf(command));
    let reply = Buffer.alloc(0);
    while (reply.length < 4 || reply.length < reply.readInt32LE(0)) {
      reply = Buffer.concat([reply, ((await once(this.socket, 'data')) as [Buffer])[0]]);
    }
    return deserialize(reply.subarray(21));
  }

  close(): void {
    this.socket.destroy();
  }
}
