/** Everything that can be set, validated and frozen. It is made once, by `loadConfig`; durations are milliseconds. */
export class Config {
}
//# sourceMappingURL=config.js.map