import { pino } from 'pino';

/** What tells errors of one type apart. */
const KIND = ['code', 'codeName', 'status', 'statusCode', 'syscall', 'address', 'port', 'path'] as const;

/** As deep as secrets are looked for. What contains itself has no end. */
const DEPTH = 4;

/**
 * An error as the log has it. Of its own fields only those that say what kind it is: libraries put what they sent and received into
 * the others, such as the headers of a request or the documents of a write. What is no error is returned as it is.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // Both include the causes.
  const { type, message, stack } = pino.stdSerializers.err(error);
  const own = error as Partial<Record<(typeof KIND)[number], unknown>>;
  const kind = KIND.filter((field) => ['string', 'number'].includes(typeof own[field]));
  return {
    type,
    message,
    stack,
    ...Object.fromEntries(kind.map((field) => [field, own[field]])),
    ...(error instanceof AggregateError ? { errors: error.errors.map(loggedError) } : {}),
  };
}

/** What a line is to have, with each error in it as the log has it. */
export function withLoggedErrors(value: unknown, depth = DEPTH): unknown {
  if (value instanceof Error) return loggedError(value);
  // Dates, ids and the like say themselves how they are written.
  if (depth === 0 || typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  if (Array.isArray(value)) return value.map((one) => withLoggedErrors(one, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withLoggedErrors(one, depth - 1)]));
}
