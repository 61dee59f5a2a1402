/** Injection token of all {@link ErrorTranslator}s, in the order in which they are asked. */
export const ERROR_TRANSLATORS = Symbol('ERROR_TRANSLATORS');
//# sourceMappingURL=error-translator.js.map