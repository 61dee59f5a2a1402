export { CliModule } from './cli.module.js';
export { RefusedError } from './commands.js';
export { type Invocation, readInvocation, UsageError } from './usage.js';
