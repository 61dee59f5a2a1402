export { InfrastructureModule } from './infrastructure.module.js';
//# sourceMappingURL=index.js.map