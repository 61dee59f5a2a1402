import type { ApiError } from './api-error.js';

/** Injection token of all {@link ErrorTranslator}s, in the order in which they are asked. */
export const ERROR_TRANSLATORS = Symbol('ERROR_TRANSLATORS');

/**
 * Turns a foreign exception (a driver's, a library's) into an error of the catalogue.
 * @returns null when the exception is not one it knows; the next one is asked, and at last it is a 500.
 */
export type ErrorTranslator = (exception: unknown) => ApiError | null;
