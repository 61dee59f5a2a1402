import { randomUUID } from 'node:crypto';
const WELL_FORMED = /^[A-Za-z0-9._:-]{1,128}$/;
/** Takes a caller's `x-request-id` over when it can do no harm in a log or a header; else makes a new one. */
export function requestIdOf(request) {
    const given = request.headers['x-request-id'];
    return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
}
//# sourceMappingURL=request-id.js.map