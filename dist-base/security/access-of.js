import { ACCESS } from '../common/access/index.js';
/** What holds for a route that says nothing: closed. (Such a route is also refused at the start.) */
const CLOSED = { apiKey: true, bearer: true, role: 'admin', limit: 'general' };
/** The access of the route at hand; the handler's word counts before its class's. */
export function accessOf(reflector, context) {
    return reflector.getAllAndOverride(ACCESS, [context.getHandler(), context.getClass()]) ?? CLOSED;
}
//# sourceMappingURL=access-of.js.map