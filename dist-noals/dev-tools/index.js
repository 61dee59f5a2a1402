export { DevToolsModule } from './dev-tools.module.js';
//# sourceMappingURL=index.js.map