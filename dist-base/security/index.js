export { ApiKeyGuard } from './api-keys/api-key.guard.js';
export { AccountReader } from './authentication/account-reader.js';
export { AccountBackoff } from './backoff/account-backoff.js';
export { Authenticator } from './authentication/authenticator.js';
export { CurrentPrincipal } from './authentication/principal.js';
export { SessionReader } from './authentication/session-reader.js';
export { OneTimeSecrets } from './one-time-secrets/one-time-secrets.js';
export { IsConfirmationOf, IsNewPassword } from './passwords/new-password.decorator.js';
export { NewPasswords } from './passwords/new-passwords.js';
export { PasswordHasher } from './passwords/password-hasher.js';
export { RolesGuard } from './roles/roles.guard.js';
export { SecurityModule } from './security.module.js';
export { RequestThrottlerGuard } from './throttling/request-throttler.guard.js';
export { AccessTokens } from './tokens/access-tokens.js';
export { JwtAuthGuard } from './tokens/jwt-auth.guard.js';
export { RefreshTokens } from './tokens/refresh-tokens.js';
export { RequestValidationPipe } from './validation/request-validation.pipe.js';
export { SecurityEvents } from './events/security-events.js';
//# sourceMappingURL=index.js.map