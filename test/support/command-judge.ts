import type { Document } from 'mongodb';
import { formatReply, parseRequest } from '../../src/infrastructure/database/embedded-mongodb/wire/message.js';
import type { TcpProxy, Verdict } from './tcp-proxy.js';

export interface Command {
  name: string;
  collection: string;
  isInTransaction: boolean;
}

type IsMeant = (command: Command) => boolean;

/** What MongoDB answers that shuts down. */
const INTERRUPTED = { code: 11600, codeName: 'InterruptedAtShutdown' };

/** Decides over each command that goes to the database. @param fail answers an error in its place */
export function judgeCommands(
  proxy: TcpProxy,
  verdictOf: (command: Command, fail: (error?: Document) => Verdict) => Verdict,
): void {
  proxy.judge = (chunk) => {
    // The beginning of one that is too large to come at once, or the rest of it.
    if (chunk.readInt32LE(0) !== chunk.length) return 'pass';
    const request = parseRequest(chunk);
    const [name = ''] = Object.keys(request.command);
    const { [name]: collection, autocommit } = request.command as Document;
    const fail = (error: Document = INTERRUPTED) => ({
      answer: formatReply(request, { ok: 0, errmsg: 'judged', ...error }),
    });
    return verdictOf({ name, collection: String(collection), isInTransaction: autocommit === false }, fail);
  };
}

/** The database fails so many of these commands, and goes on. */
export function failTimes(proxy: TcpProxy, times: number, isMeant: IsMeant): void {
  let left = times;
  judgeCommands(proxy, (command, fail) => (isMeant(command) && (left -= 1) >= 0 ? fail() : 'pass'));
}

/** Each of these commands takes so long, once. */
export function delayOnce(proxy: TcpProxy, delays: [isMeant: IsMeant, lateMs: number][]): void {
  const left = [...delays];
  judgeCommands(proxy, (command) => {
    const due = left.find(([isMeant]) => isMeant(command));
    if (!due) return 'pass';
    left.splice(left.indexOf(due), 1);
    return { lateMs: due[1] };
  });
}
