export { AuthModule } from './auth.module.js';
//# sourceMappingURL=index.js.map