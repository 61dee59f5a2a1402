export { DevToolsModule } from './dev-tools.module.js';
