import { ApiError } from './api-error.js';

/** Out of file descriptors, of one process or all; of memory, buffers or disk space; of what a thread takes to start. */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'ENOSPC', 'ERR_WORKER_INIT_FAILED']);

/** What the system has no more of now it may have in a moment: a 503, and no fault of ours. */
export function translateResourceExhaustion(exception: unknown): ApiError | null {
  return isResourceExhaustion(exception) ? new ApiError('service_unavailable', { cause: exception }) : null;
}

export function isResourceExhaustion(exception: unknown): boolean {
  return EXHAUSTED.has(String((exception as NodeJS.ErrnoException | null)?.code));
}
