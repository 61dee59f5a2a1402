export { createOpenApiDocument } from './openapi-document.js';
export { Operation } from './operation.decorator.js';
export { fitToPhones, SWAGGER_UI } from './swagger-ui.js';
