import { BSONRegExp } from 'bson';
import { CommandError } from '../command-error.js';
/**
 * The JavaScript expression for a PCRE pattern. `x` and PCRE-only syntax are refused: matching something else than
 * MongoDB would is worse than failing.
 * @throws CommandError 51091
 */
export function toRegExp(pattern, options) {
    let flags = '';
    for (const option of options) {
        if ('ims'.includes(option))
            flags += flags.includes(option) ? '' : option;
        else if (option !== 'u')
            throw new CommandError(51108, `invalid flag in regex options: ${option}`);
    }
    if (/\(\?[a-zA-Z^-]+[:)]|\\[AZzGQE]|[*+?}]\+|\(\?[>|#R&]/.test(pattern.replaceAll('\\\\', ''))) {
        throw new CommandError(51091, `Regular expression uses PCRE syntax the embedded store lacks: ${pattern}`);
    }
    try {
        return new RegExp(pattern, flags);
    }
    catch (error) {
        throw new CommandError(51091, `Regular expression is invalid: ${error.message}`);
    }
}
export function isRegExp(value) {
    return value instanceof BSONRegExp || value instanceof RegExp;
}
export function compileRegExp(value) {
    return value instanceof RegExp ? value : toRegExp(value.pattern, value.options);
}
//# sourceMappingURL=regex.js.map