import { ERROR_CATALOGUE } from './error-catalogue.js';
/** The one exception that features throw: a code of the catalogue, and what the answer needs beyond it. */
export class ApiError extends Error {
    code;
    status;
    fields;
    retryAfterSeconds;
    data;
    headers;
    constructor(code, details = {}) {
        super(ERROR_CATALOGUE[code].message, { cause: details.cause });
        this.code = code;
        this.name = 'ApiError';
        this.status = ERROR_CATALOGUE[code].status;
        this.fields = details.fields;
        this.retryAfterSeconds = details.retryAfterSeconds;
        this.data = details.data;
        this.headers = details.headers ?? {};
    }
    /** A 422 for one field, in the shape of the validation pipe's own. */
    static invalidField(field, message) {
        return new ApiError('validation_failed', { fields: [{ field, message }] });
    }
}
//# sourceMappingURL=api-error.js.map