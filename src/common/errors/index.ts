export { ApiError, type FieldError } from './api-error.js';
export { ERROR_CATALOGUE, ERROR_CODES, type ErrorCode, GUESS_ERRORS, UNREAD_ERRORS } from './error-catalogue.js';
export { ERROR_TRANSLATORS, type ErrorTranslator } from './error-translator.js';
export { RefusalListener } from './refusal-listener.js';
export { isResourceExhaustion, translateResourceExhaustion } from './resource-exhaustion.js';
