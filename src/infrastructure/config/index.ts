export { ConfigError } from './config-error.js';
export { Config } from './config.js';
export { environmentVariables, loadConfig } from './load-config.js';
