/** Port: how the guards learn about sessions. `login-history` provides it; this room knows no feature. */
export class SessionReader {
}
//# sourceMappingURL=session-reader.js.map