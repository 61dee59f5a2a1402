/** Metadata key of a route's {@link Access}. */
export const ACCESS = Symbol('ACCESS');
//# sourceMappingURL=access.js.map