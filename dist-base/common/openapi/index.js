export { createOpenApiDocument } from './openapi-document.js';
export { Operation } from './operation.decorator.js';
//# sourceMappingURL=index.js.map