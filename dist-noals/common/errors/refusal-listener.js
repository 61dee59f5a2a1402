/** Port: hears of every request that was answered with an error. `security` provides it, to keep a record. */
export class RefusalListener {
}
//# sourceMappingURL=refusal-listener.js.map