/** Also decides for paths that no route serves, so that an unknown `/auth/x` answers like its neighbours. */
export function envelopeKindOf(url) {
    return /^(?:https?:\/\/[^/]*)?\/auth(?:[/?#]|$)/i.test(url) ? 'auth' : 'resource';
}
export function successBody(kind, status, message, data) {
    return kind === 'auth'
        ? { status_code: status, status: 'SUCCESS', message, ...(data === undefined ? {} : { data }) }
        : { error: false, message, data: data ?? null };
}
export function errorBody(kind, error) {
    const { code, message, fields: errors } = error;
    const details = errors ? { errors } : {};
    return kind === 'auth'
        ? { status_code: error.status, status: 'ERROR', code, message, ...details }
        : { error: true, code, message, data: error.data ?? null, ...details };
}
//# sourceMappingURL=envelope.js.map