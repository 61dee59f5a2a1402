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

/** Faults of whoever calls the driver, but for those of a connection that is no more. */
const OWN_FAULTS = [MongoAPIError, MongoParseError];
const NO_CONNECTION = [MongoExpiredSessionError, MongoNotConnectedError, MongoTopologyClosedError];

/** No way to a member, or none that may do it: network, shutting down, not primary (any more), no majority yet. */
const NO_MEMBER = [6, 7, 89, 91, 133, 134, 189, 202, 384, 9001, 10107, 11600, 11602, 13435, 13436];
/** In the way of another, out of time, or ended by an administrator: locks, conflicts, transactions, snapshots, cursors. */
const INTERRUPTED = [24, 43, 46, 50, 64, 112, 225, 237, 239, 246, 251, 262, 267, 290, 11601];
const OUT_OF_DISK_SPACE = 14031;
/** MongoDB's error_codes.yml: the next attempt may find a healthy member, or nobody in its way. */
const PASSING_SERVER_ERRORS = new Set([...NO_MEMBER, ...INTERRUPTED, OUT_OF_DISK_SPACE]);

/** By which the server or the driver says that it is worth another attempt. */
const PASSING_LABELS = ['TransientTransactionError', 'RetryableWriteError', 'UnknownTransactionCommitResult'];

/** The driver lets an error of its socket through as it is, when the other side has just gone. */
const SOCKET_ERRORS = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED']);

/** And it stumbles over such an error at times: it asks it for the labels that only its own errors have. */
const STUMBLE = 'hasErrorLabel is not a function';

/** A database that is away is a 503, never a 500; a fault of ours in a query stays one. */
export function translateDatabaseError(exception: unknown): ApiError | null {
  return isDatabaseUnavailable(exception) ? new ApiError('service_unavailable', { cause: exception }) : null;
}

export function isDatabaseUnavailable(exception: unknown): boolean {
  // What broke a bulk write is within its error, which passes for the server's.
  if (exception instanceof MongoBulkWriteError && exception.errorResponse instanceof Error)
    return isDatabaseUnavailable(exception.errorResponse);
  // Written, and lost if the primary is.
  if (exception instanceof MongoWriteConcernError) return true;
  if (exception instanceof MongoServerError)
    return (
      PASSING_SERVER_ERRORS.has(Number(exception.code)) ||
      PASSING_LABELS.some((label) => exception.hasErrorLabel(label))
    );
  if (NO_CONNECTION.some((kind) => exception instanceof kind)) return true;
  if (OWN_FAULTS.some((kind) => exception instanceof kind)) return false;
  if (exception instanceof MongoError) return true;
  if (SOCKET_ERRORS.has(String((exception as NodeJS.ErrnoException | null)?.code))) return true;
  if (exception instanceof TypeError && exception.message.endsWith(STUMBLE)) return true;
  return (
    exception instanceof MongooseError && /buffer|initial connection|not connected|disconnect/i.test(exception.message)
  );
}

/**
 * @returns the field whose unique index refused the write, or null when that was not the reason. Of several it is the
 *   last: those before it say among whom it is unique.
 */
export function duplicateKeyField(exception: unknown): string | null {
  if (!(exception instanceof MongoServerError) || exception.code !== 11000) return null;
  const pattern = exception.keyPattern as Record<string, unknown> | undefined;
  return Object.keys(pattern ?? {}).at(-1) ?? 'unknown';
}
