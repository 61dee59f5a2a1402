export { IsDateTime } from './date-time.decorator.js';
export { IdParamDto } from './id-param.dto.js';
export { IsOmittable } from './is-omittable.decorator.js';
export { IsOpaqueText } from './opaque-text.decorator.js';
export { IsSearch } from './search.decorator.js';
export { IsNotBlank, IsPlainText, IsWellFormed, Trimmed } from './text.decorator.js';
export { IsObjectId } from './object-id.decorator.js';
// Modules of other teams take it from here.
export { ID_PATTERN } from '../openapi/index.js';
export { IsWholeNumber } from './whole-number.decorator.js';
