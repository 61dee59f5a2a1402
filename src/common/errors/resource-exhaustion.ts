import { ApiError } from './api-error.js';

/** No more file descriptors (of the process or the system), memory, socket buffers, disk space or threads. */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'ENOSPC', 'ERR_WORKER_INIT_FAILED']);

/** A shortage in the system can pass within moments: it is a 503, and not an error in this service. */
export function translateResourceExhaustion(exception: unknown): ApiError | null {
  return isResourceExhaustion(exception) ? new ApiError('service_unavailable', { cause: exception }) : null;
}

export function isResourceExhaustion(exception: unknown): boolean {
  return EXHAUSTED.has(String((exception as NodeJS.ErrnoException | null)?.code));
}
