/** A fixed window as the guard wants to hear of it; times there are whole seconds, at least one. */
export function throttlerRecord(hits, msToEnd, limit) {
    const secondsToEnd = Math.max(1, Math.ceil(msToEnd / 1000));
    return { totalHits: hits, timeToExpire: secondsToEnd, isBlocked: hits > limit, timeToBlockExpire: secondsToEnd };
}
//# sourceMappingURL=throttler-record.js.map