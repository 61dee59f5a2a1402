/** The settings are wrong. The message lists every fault by the setting's name, and never shows a value. */
export class ConfigError extends Error {
    problems;
    constructor(problems) {
        super(`The settings are wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
        this.problems = problems;
        this.name = 'ConfigError';
    }
}
//# sourceMappingURL=config-error.js.map