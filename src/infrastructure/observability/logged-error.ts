import { pino } from 'pino';

/** What tells errors of one type apart. */
const KIND = ['code', 'codeName', 'status', 'statusCode', 'syscall', 'address', 'port', 'path'] as const;

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

/** Fields of a line, with each error among them as the log has it. */
export function withLoggedErrors(fields: object): object {
  if (Array.isArray(fields)) return fields.map(loggedError);
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(fields) as object | null);
  return isPlain
    ? Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, loggedError(value)]))
    : fields;
}
