export { OWN_SCHEMA_NAMES } from './components.js';
export { ApiDateTime } from './date-time.decorator.js';
export { RESERVED_OPERATION_IDS } from './named-schemas.js';
export { ApiObjectId, type DocumentedObjectId, ID_PATTERN } from './object-id.decorator.js';
export { createOpenApiDocument } from './openapi-document.js';
export { Operation } from './operation.decorator.js';
export { hasRules, rulesOf } from './rules-of.js';
export { prepareSwaggerUi, SWAGGER_UI } from './swagger-ui.js';
export { toOpenApi30 } from './openapi-3-0.js';
