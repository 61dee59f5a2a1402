export { createBoundedServer } from './bounded-server.js';
export { addressBucket, clientAddress, normaliseAddress } from './client-address.js';
export { envelopeKindOf, errorBody, successBody } from './envelope.js';
export { EnvelopeInterceptor, SUCCESS_MESSAGE } from './envelope.interceptor.js';
export { ErrorFilter } from './error.filter.js';
export { currentRequest, keepRequestContext } from './request-context.js';
export { requestIdOf } from './request-id.js';
export { ServedRoutes } from './served-routes.js';
//# sourceMappingURL=index.js.map