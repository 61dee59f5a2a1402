import { pino } from 'pino';
/** Never logged, wherever they stand in a logged object. Bodies and headers are not logged at all. */
const SECRET_FIELDS = [
    'password',
    'password_confirmation',
    'otp',
    'token',
    'refresh_token',
    'authorization',
    'api_key',
    'secret',
];
/** The process's logger: JSON lines on standard output, for Nest, for Fastify and for us. */
export function createLogger(level) {
    return pino({
        level,
        base: undefined,
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        redact: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
    });
}
/** What Nest tells of its own start, a line for each module and route: of interest to whoever debugs that. */
const NEST_STARTUP = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);
/** Nest's logging calls on pino. `logger.error({ request_id, err }, 'text')` keeps its object as fields. */
export class AppLogger {
    pino;
    constructor(pino) {
        this.pino = pino;
    }
    log(message, ...rest) {
        this.write(NEST_STARTUP.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
    }
    error(message, ...rest) {
        // What stands in the way of the start is told by main, in one line.
        this.write(rest.at(-1) === 'NestApplication' ? 'debug' : 'error', message, rest);
    }
    warn(message, ...rest) {
        this.write('warn', message, rest);
    }
    debug(message, ...rest) {
        this.write('debug', message, rest);
    }
    verbose(message, ...rest) {
        this.write('trace', message, rest);
    }
    fatal(message, ...rest) {
        this.write('fatal', message, rest);
    }
    setLogLevels(_levels) { }
    /** Nest passes the context last; `error` may have a stack before it. */
    write(level, message, rest) {
        const context = typeof rest.at(-1) === 'string' ? rest.at(-1) : undefined;
        const others = context === undefined ? rest : rest.slice(0, -1);
        const text = others.find((part) => typeof part === 'string');
        if (message instanceof Error)
            this.pino[level]({ context, err: message }, text ?? message.message);
        else if (typeof message === 'object' && message !== null)
            this.pino[level]({ context, ...message }, text);
        else
            this.pino[level]({ context, ...(level === 'error' && text ? { stack: text } : {}) }, '%s', String(message));
    }
}
//# sourceMappingURL=app-logger.js.map