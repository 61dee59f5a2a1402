export { ApiError } from './api-error.js';
export { ERROR_CATALOGUE, ERROR_CODES } from './error-catalogue.js';
export { ERROR_TRANSLATORS } from './error-translator.js';
export { RefusalListener } from './refusal-listener.js';
//# sourceMappingURL=index.js.map