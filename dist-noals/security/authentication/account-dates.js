export function accountDatesKey(userId) {
    return `user:dates:${userId}`;
}
/** Dates out of the cache; anything of another shape is a miss. */
export function readAccountDates(value) {
    const dates = value;
    const isSound = typeof dates?.created_at === 'string' && typeof dates.updated_at === 'string';
    return isSound ? dates : null;
}
//# sourceMappingURL=account-dates.js.map