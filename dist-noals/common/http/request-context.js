import { AsyncLocalStorage } from 'node:async_hooks';
import { clientAddress } from './client-address.js';
const storage = new AsyncLocalStorage();
/** The request at hand; undefined in work that no request caused. */
export function currentRequest() {
    return storage.getStore();
}
export function keepRequestContext(server) {
    const contexts = new WeakMap();
    server.addHook('onRequest', (request, _reply, done) => {
        const context = { requestId: request.id, ip: clientAddress(request) };
        contexts.set(request, context);
        storage.run(context, done);
    });
    // Between the two a body is read from the socket, whose events run in the context of the connection.
    server.addHook('preValidation', (request, _reply, done) => {
        storage.run(contexts.get(request), done);
    });
}
//# sourceMappingURL=request-context.js.map