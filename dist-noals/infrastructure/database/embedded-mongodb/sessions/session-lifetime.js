/** How long a session is known after its last command; clients are told. */
export const SESSION_LIFETIME_MS = 30 * 60_000;
//# sourceMappingURL=session-lifetime.js.map