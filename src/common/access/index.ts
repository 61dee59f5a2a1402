export { ACCESS, type Access, type RateLimit, type Role, ROLE_MEANINGS, ROLES } from './access.js';
export {
  ACCESS_EXTENSION,
  AdminOnly,
  ApiKeyOnly,
  Authenticated,
  credentialErrors,
  ERROR_CODES_EXTENSION,
  Protected,
  Public,
  TOKEN_ERRORS,
} from './access.decorator.js';
