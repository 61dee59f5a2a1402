import { Logger } from '@nestjs/common';
import { clientAddress } from '../../common/http/index.js';
/** So many requests in a row make a pattern. */
const WINDOW = 200;
/** So many different claimed origins behind one address are no single caller. */
const MIN_CLAIMS = 5;
/**
 * Notices that the service stands behind a proxy that `TRUST_PROXY` does not name: every request comes from one
 * address, and says that it was forwarded for many. All callers then share one limit, and the mails about new
 * devices name the proxy.
 */
export class ForwardingCheck {
    logger = new Logger('Forwarding');
    address = '';
    run = 0;
    claims = new Set();
    suspected = false;
    /** Whether the settings of the proxy look wrong. */
    get isSuspicious() {
        return this.suspected;
    }
    watch(server) {
        server.addHook('onRequest', (request, _reply, done) => {
            this.see(clientAddress(request), request.headers['x-forwarded-for']);
            done();
        });
    }
    see(address, forwardedFor) {
        if (address !== this.address)
            this.restart(address);
        // Health checks of an orchestrator reach the service past the proxy; only forwarded requests count.
        if (forwardedFor === undefined)
            return;
        this.run += 1;
        if (this.claims.size < MIN_CLAIMS)
            this.claims.add(String(forwardedFor).slice(0, 64));
        if (this.run < WINDOW || this.claims.size < MIN_CLAIMS || this.suspected)
            return;
        this.suspected = true;
        this.logger.warn(`${WINDOW} requests in a row came from ${address}, forwarded for others: if that is your proxy, name it in TRUST_PROXY. ` +
            'Until then all callers share one limit');
    }
    restart(address) {
        this.address = address;
        this.run = 0;
        this.claims = new Set();
        this.suspected = false;
    }
}
//# sourceMappingURL=forwarding-check.js.map