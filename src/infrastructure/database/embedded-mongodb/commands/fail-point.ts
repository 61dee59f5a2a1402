import { CommandError, unsupported } from '../command-error.js';
import type { FailPoint } from '../engine/engine.js';
import { isDocument, type Document } from '../values/document.js';
import { isNumber } from '../values/types.js';
import { ProtocolError } from '../wire/message.js';
import type { CommandContext, Reply } from './command-context.js';

/** Only in a store that is thrown away: MongoDB too offers this in test mode alone. */
export function configureFailPoint({ engine, command }: CommandContext): Document {
  const { configureFailPoint: name, mode, data = {} } = command;
  if (engine.store.isDurable || name !== 'failCommand') throw unsupported(`The fail point ${String(name)}`);
  const times = isDocument(mode) ? mode.times : mode === 'alwaysOn' ? Infinity : 0;
  if (!isNumber(times) || !isDocument(data)) throw new CommandError(9, 'A fail point needs a mode and data');
  engine.failPoint = { left: Number(times), data };
  return { ok: 1 };
}

/** Runs a command, or fails it where a fail point says so. @throws ProtocolError to have the connection closed */
export async function orFail(point: FailPoint, name: string, run: () => Promise<Reply>): Promise<Reply> {
  const { failCommands, closeConnection, errorCode, errorLabels, writeConcernError } = point.data;
  if (point.left <= 0 || !Array.isArray(failCommands) || !failCommands.includes(name)) return run();
  point.left--;
  if (closeConnection === true) throw new ProtocolError('closed by a fail point');
  if (isNumber(errorCode)) {
    const details = errorLabels ? { errorLabels } : {};
    throw new CommandError(Number(errorCode), "Failing command via 'failCommand' failpoint", details);
  }
  const reply = await run();
  return writeConcernError && !Buffer.isBuffer(reply) ? { ...reply, writeConcernError } : reply;
}
