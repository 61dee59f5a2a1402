import { ERROR_CATALOGUE, ERROR_CODES } from '../errors/index.js';
const ALWAYS = ['service_unavailable', 'internal_error'];
const WITH_INPUT = ['validation_failed'];
const WITH_BODY = ['malformed_request', 'payload_too_large', 'unsupported_media_type'];
const ERROR_SCHEMA = { auth: 'AuthError', resource: 'ResourceError' };
/** Headers of every answer, and of every answer of a limited route. */
const COMMON_HEADERS = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };
const LIMIT_HEADERS = {
    ratelimit: { $ref: '#/components/headers/RateLimit' },
    'ratelimit-policy': { $ref: '#/components/headers/RateLimitPolicy' },
};
export const HEADER_COMPONENTS = {
    RequestId: {
        description: 'Names this request in the logs; taken over from the request where it is well-formed.',
        schema: { type: 'string', example: '3f0d7f5e-8a53-4b0f-9a35-55a3e1d6f4a5' },
    },
    RateLimit: {
        description: 'Requests left (`r`) and seconds until the window ends (`t`).',
        schema: { type: 'string', example: '"auth";r=4;t=900' },
    },
    RateLimitPolicy: {
        description: 'Requests allowed (`q`) in a window of so many seconds (`w`).',
        schema: { type: 'string', example: '"auth";q=5;w=900' },
    },
    RetryAfter: {
        description: 'Seconds after which a repetition can succeed.',
        schema: { type: 'integer', minimum: 1, example: 873 },
    },
    WwwAuthenticate: {
        description: 'The challenge (RFC 9110 section 11.6.1, RFC 6750 section 3).',
        schema: { type: 'string', example: 'Bearer realm="account-service", error="invalid_token"' },
    },
    Allow: { description: 'The methods that this path serves.', schema: { type: 'string', example: 'POST' } },
};
const CODE_SCHEMA = {
    type: 'string',
    enum: ERROR_CODES,
    description: 'Stable and machine-readable. The list is closed: a code is never renamed or removed.',
};
export const SCHEMA_COMPONENTS = {
    ErrorCode: CODE_SCHEMA,
    FieldError: {
        type: 'object',
        required: ['field', 'message'],
        properties: {
            field: { type: 'string', description: 'Path of the field in the request', example: 'email' },
            message: { type: 'string', description: 'For people', example: 'email must be a valid e-mail address' },
        },
    },
    Pagination: {
        type: 'object',
        description: 'Where a page stands in its list.',
        required: ['total', 'page', 'limit', 'totalPages', 'hasNextPage', 'hasPrevPage'],
        properties: {
            total: { type: 'integer', minimum: 0, example: 57, description: 'Entries in the whole list' },
            page: { type: 'integer', minimum: 1, example: 1 },
            limit: { type: 'integer', minimum: 1, maximum: 100, example: 20 },
            totalPages: { type: 'integer', minimum: 0, example: 3 },
            hasNextPage: { type: 'boolean', example: true },
            hasPrevPage: { type: 'boolean', example: false },
        },
    },
    AuthError: {
        type: 'object',
        description: 'Every error of `/auth/*`.',
        required: ['status_code', 'status', 'code', 'message'],
        properties: {
            status_code: { type: 'integer', description: 'Same as the HTTP status', example: 422 },
            status: { type: 'string', enum: ['ERROR'] },
            code: { $ref: '#/components/schemas/ErrorCode' },
            message: { type: 'string', description: 'For people' },
            errors: fieldErrors(),
        },
    },
    ResourceError: {
        type: 'object',
        description: 'Every error outside `/auth`.',
        required: ['error', 'code', 'message', 'data'],
        properties: {
            error: { type: 'boolean', enum: [true] },
            code: { $ref: '#/components/schemas/ErrorCode' },
            message: { type: 'string', description: 'For people' },
            data: { type: 'object', nullable: true, description: 'null, save where an answer says otherwise' },
            errors: fieldErrors(),
        },
    },
};
function fieldErrors() {
    return {
        type: 'array',
        description: 'With `validation_failed` only: what is wrong with which field',
        items: { $ref: '#/components/schemas/FieldError' },
    };
}
/** The complete `responses` of one operation: its success and each of its errors, in the envelope of its path. */
export function responsesOf(facts) {
    const { envelope, success, isLimited } = facts;
    const headers = { ...COMMON_HEADERS, ...(isLimited ? LIMIT_HEADERS : {}) };
    const responses = {
        [success.status]: {
            description: success.message,
            headers,
            content: { 'application/json': { schema: successSchema(envelope, success) } },
        },
    };
    for (const [status, codes] of codesByStatus(allCodes(facts))) {
        responses[status] = {
            description: codes.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].message}`).join('\n\n'),
            headers: { ...headers, ...headersOfStatus(status) },
            content: {
                'application/json': {
                    schema: errorSchema(envelope, codes),
                    examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(envelope, code) }])),
                },
            },
        };
    }
    return responses;
}
function allCodes({ errorCodes, hasInput, hasBody }) {
    return [...errorCodes, ...(hasInput ? WITH_INPUT : []), ...(hasBody ? WITH_BODY : []), ...ALWAYS];
}
function codesByStatus(codes) {
    const grouped = new Map();
    for (const code of new Set(codes)) {
        const { status } = ERROR_CATALOGUE[code];
        grouped.set(status, [...(grouped.get(status) ?? []), code]);
    }
    return [...grouped].sort(([a], [b]) => a - b);
}
function headersOfStatus(status) {
    if (status === 401)
        return { 'www-authenticate': { $ref: '#/components/headers/WwwAuthenticate' } };
    if (status === 429 || status === 503)
        return { 'retry-after': { $ref: '#/components/headers/RetryAfter' } };
    return {};
}
function dataSchema({ dataRef, shape }) {
    if (!dataRef)
        return null;
    const item = { $ref: dataRef };
    if (shape === 'single')
        return item;
    const list = { type: 'array', items: item };
    if (shape === 'list')
        return list;
    return {
        type: 'object',
        required: ['content', 'pagination'],
        properties: { content: list, pagination: { $ref: '#/components/schemas/Pagination' } },
    };
}
function successSchema(envelope, success) {
    const { status, message } = success;
    const data = dataSchema(success);
    const text = { type: 'string', description: 'For people', example: message };
    if (envelope === 'auth') {
        return {
            type: 'object',
            required: ['status_code', 'status', 'message', ...(data ? ['data'] : [])],
            properties: {
                status_code: { type: 'integer', enum: [status] },
                status: { type: 'string', enum: ['SUCCESS'] },
                message: text,
                ...(data ? { data } : {}),
            },
        };
    }
    return {
        type: 'object',
        required: ['error', 'message', 'data'],
        properties: {
            error: { type: 'boolean', enum: [false] },
            message: text,
            data: data ?? { type: 'object', nullable: true },
        },
    };
}
function errorSchema(envelope, codes) {
    return {
        allOf: [
            { $ref: `#/components/schemas/${ERROR_SCHEMA[envelope]}` },
            { type: 'object', properties: { code: { type: 'string', enum: codes } } },
        ],
    };
}
function errorExample(envelope, code) {
    const { status, message } = ERROR_CATALOGUE[code];
    const errors = code === 'validation_failed'
        ? { errors: [{ field: 'email', message: 'email must be a valid e-mail address' }] }
        : {};
    return envelope === 'auth'
        ? { status_code: status, status: 'ERROR', code, message, ...errors }
        : { error: true, code, message, data: null, ...errors };
}
//# sourceMappingURL=responses.js.map