import { MongooseError, mongo } from 'mongoose';
import { ApiError } from '../../common/errors/index.js';

const {
  MongoAPIError,
  MongoBulkWriteError,
  MongoError,
  MongoExpiredSessionError,
  MongoNotConnectedError,
  MongoParseError,
  MongoServerError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} = mongo;

/** Errors of the code that calls the driver; their subclasses about a lost connection are told apart by NO_CONNECTION. */
const PROGRAMMING_ERRORS = [MongoAPIError, MongoParseError];
const NO_CONNECTION = [MongoExpiredSessionError, MongoNotConnectedError, MongoTopologyClosedError];

/** No suitable member can be reached: network error, shutting down, not primary (any more), no majority yet. */
const NO_MEMBER = [6, 7, 89, 91, 133, 134, 189, 202, 384, 9001, 10107, 11600, 11602, 13435, 13436];
/** Conflicts with another operation, time-outs, and operations ended by an administrator, or by a change of the cluster. */
const INTERRUPTED = [
  24, 43, 46, 50, 64, 112, 175, 225, 237, 239, 246, 250, 251, 262, 267, 272, 281, 282, 290, 314, 355, 453, 11601, 46841,
  91331, 10045600,
];
/** Too much is asked of the server, its disk is full, or an administrator has stopped all writes. */
const OVERLOADED = [365, 371, 402, 407, 433, 449, 450, 462, 14031];
/** Codes of MongoDB's error_codes.yml with which another attempt may succeed. */
const PASSING_SERVER_ERRORS = new Set([...NO_MEMBER, ...INTERRUPTED, ...OVERLOADED]);

/** Labels by which the server or the driver says that another attempt may succeed. */
const PASSING_LABELS = [
  'TransientTransactionError',
  'RetryableWriteError',
  'UnknownTransactionCommitResult',
  'SystemOverloadedError',
];

/** The driver passes some socket errors on unwrapped when the server has just gone. */
const SOCKET_ERRORS = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED']);

/** Part of the message when the driver calls `hasErrorLabel` on such a socket error, which lacks it. */
const DRIVER_BUG_MESSAGE = 'hasErrorLabel is not a function';

/** A database that cannot be reached is a 503, never a 500; an error of this service's own in a query stays a 500. */
export function translateDatabaseError(exception: unknown): ApiError | null {
  return isDatabaseUnavailable(exception) ? new ApiError('service_unavailable', { cause: exception }) : null;
}

export function isDatabaseUnavailable(exception: unknown): boolean {
  // A bulk write's error counts as one of the server, whatever its cause was: look at the cause.
  if (exception instanceof MongoBulkWriteError && exception.errorResponse instanceof Error)
    return isDatabaseUnavailable(exception.errorResponse);
  // The primary wrote it, but not the majority: it would be lost with the primary.
  if (exception instanceof MongoWriteConcernError) return true;
  if (exception instanceof MongoServerError)
    return (
      PASSING_SERVER_ERRORS.has(Number(exception.code)) ||
      PASSING_LABELS.some((label) => exception.hasErrorLabel(label))
    );
  if (NO_CONNECTION.some((kind) => exception instanceof kind)) return true;
  if (PROGRAMMING_ERRORS.some((kind) => exception instanceof kind)) return false;
  if (exception instanceof MongoError) return true;
  if (isSocketError(exception)) return true;
  if (exception instanceof TypeError && exception.message.endsWith(DRIVER_BUG_MESSAGE)) return true;
  return (
    exception instanceof MongooseError && /buffer|initial connection|not connected|disconnect/i.test(exception.message)
  );
}

/**
 * Another service that is down is not the database, though its errors have the same codes. Most HTTP clients have classes of their
 * own for them, and the driver has one for a connection that cannot be made.
 */
function isSocketError(exception: unknown): boolean {
  const { code, constructor, syscall } = (exception ?? {}) as NodeJS.ErrnoException;
  return constructor === Error && syscall !== 'connect' && SOCKET_ERRORS.has(String(code));
}

/**
 * @returns the field whose unique index refused the write; null for any other error. Of a compound index it is the last field:
 *   those before it say within what it is unique. `unknown` after a bulk write on an index with a name of its own
 */
export function duplicateKeyField(exception: unknown): string | null {
  if (!(exception instanceof MongoServerError) || exception.code !== 11000) return null;
  const pattern = exception.keyPattern as Record<string, unknown> | undefined;
  if (pattern) return Object.keys(pattern).at(-1) ?? 'unknown';
  // Of a bulk write's error the driver keeps the text alone, which has the name of the index, such as user_1_title_1.
  const [, index = ''] = /^E11000 .+? index: (\S+)/.exec(exception.message) ?? [];
  return index === '_id_' ? '_id' : (/^(?:\S+_-?1_)?(\S+?)_-?1$/.exec(index)?.[1] ?? 'unknown');
}
