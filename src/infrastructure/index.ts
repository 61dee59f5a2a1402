export { InfrastructureModule, type Runtime } from './infrastructure.module.js';
