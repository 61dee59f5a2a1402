import { ERROR_CATALOGUE } from '../errors/index.js';
/**
 * The `WWW-Authenticate` value of a 401 (RFC 9110 section 11.6.1). Without credentials the challenge bears no
 * error code; a refused token is named `invalid_token` (RFC 6750 section 3.1).
 */
export function challengeFor(code) {
    if (code === 'invalid_api_key')
        return 'ApiKey realm="account-service", header="x-api-key"';
    if (code === 'authentication_required' || code === 'invalid_credentials')
        return 'Bearer realm="account-service"';
    return `Bearer realm="account-service", error="invalid_token", error_description="${ERROR_CATALOGUE[code].message}"`;
}
//# sourceMappingURL=authenticate-challenge.js.map