import { CommandError, unsupported } from '../command-error.js';
import { isDocument } from '../values/document.js';
import { isNumber } from '../values/numbers.js';
import { ProtocolError } from '../wire/message.js';
export const failPointCommand = {
    configureFailPoint: { kind: 'control', run: configure },
};
/** Only in a store that is thrown away: MongoDB too offers this in test mode alone. */
function configure({ engine, command }) {
    const { configureFailPoint: name, mode, data = {} } = command;
    if (engine.store.isDurable || name !== 'failCommand')
        throw unsupported(`The fail point ${String(name)}`);
    const times = isDocument(mode) ? mode['times'] : mode === 'alwaysOn' ? Infinity : 0;
    if (!isNumber(times) || !isDocument(data))
        throw new CommandError(9, 'A fail point needs a mode and data');
    engine.failPoint = { left: Number(times), data };
    return { ok: 1 };
}
/** Runs a command, or fails it where a fail point says so. @throws ProtocolError to have the connection closed */
export async function orFail(point, name, run) {
    const { failCommands, closeConnection, errorCode, errorLabels, writeConcernError } = point.data;
    if (point.left <= 0 || !Array.isArray(failCommands) || !failCommands.includes(name))
        return run();
    point.left--;
    if (closeConnection === true)
        throw new ProtocolError('closed by a fail point');
    if (isNumber(errorCode)) {
        const message = "Failing command via 'failCommand' failpoint";
        throw new CommandError(Number(errorCode), message, errorLabels ? { errorLabels } : {});
    }
    const reply = await run();
    return writeConcernError && !Buffer.isBuffer(reply) ? { ...reply, writeConcernError } : reply;
}
//# sourceMappingURL=fail-point.js.map