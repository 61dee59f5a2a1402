export { ACCESS, type Access, type RateLimit, type Role, ROLES } from './access.js';
export {
  AdminOnly,
  API_KEY_SCHEME,
  ApiKeyOnly,
  Authenticated,
  BEARER_SCHEME,
  ERROR_CODES_EXTENSION,
  Protected,
  Public,
  TOKEN_ERRORS,
} from './access.decorator.js';
