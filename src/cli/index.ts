export { CliModule } from './cli.module.js';
export { RefusedError } from './command.js';
export { type Invocation, readInvocation, UsageError } from './usage.js';
