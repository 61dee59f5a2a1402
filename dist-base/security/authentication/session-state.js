/**
 * How long a living session is believed without a look at storage. Revocation does not wait for it, since it
 * overwrites the entry; it bounds what an invalidation lost in a crash could cost.
 */
export const LIVE_SESSION_TTL_MS = 60_000;
export function sessionKey(sessionId) {
    return `session:${sessionId}`;
}
export function readSessionState(value) {
    if (typeof value !== 'object' || value === null)
        return null;
    const { user, ended } = value;
    if (typeof ended === 'string')
        return { ended: ended };
    return typeof user === 'string' ? { user } : null;
}
//# sourceMappingURL=session-state.js.map