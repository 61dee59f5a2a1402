import { Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { clientAddress, normaliseAddress, trustOf } from '../../common/http/index.js';
import { Config } from '../config/index.js';

/** Number of requests after which it decides. */
const WINDOW = 200;
/** How many of them must show the same fault; a few may bypass the proxy. */
const MIN_FAULTY = 180;
/** How many different origins make it likely that a proxy forwards for many callers. */
const MIN_ORIGINS = 5;
/** Not counted: orchestrators and Prometheus bypass the proxy, and may be most of the traffic. */
const PROBES = /^\/(?:health|metrics)(?:[/?]|$)/;

/**
 * - `untrusted_proxy`: requests are forwarded by an address that `TRUST_PROXY` does not name
 * - `proxy_hides_clients`: requests count for a proxy that `TRUST_PROXY` names, since it sends no address of its caller
 */
export type ForwardingFault = 'untrusted_proxy' | 'proxy_hides_clients';

/**
 * Notices that nearly all requests count for proxies and not for those who made them. All callers then share the proxies'
 * limits, and mails about new devices show the proxies' addresses.
 */
@Injectable()
export class ForwardingCheck {
  private readonly logger = new Logger('Forwarding');
  private readonly isProxy: (address: string) => boolean;
  private requests = 0;
  private forwarded = 0;
  private unexplained = 0;
  /** The address that the last request with a fault counted for. */
  private forwarder = '';
  private origins = new Set<string>();

  /** What looks wrong, judging by the last 200 counted requests. */
  fault: ForwardingFault | null = null;

  constructor({ http }: Config) {
    this.isProxy = http.trustedProxies.length > 0 ? trustOf(http.trustedProxies) : () => false;
  }

  watch(server: FastifyInstance): void {
    server.addHook('onRequest', (request, _reply, done) => {
      if (!PROBES.test(request.url)) this.see(clientAddress(request), request.headers['x-forwarded-for']);
      done();
    });
  }

  /** @param address that the request counts for */
  see(address: string, forwardedFor: string | string[] | undefined): void {
    const origin = forwardedFor === undefined ? address : firstHop(String(forwardedFor));
    // A caller within the proxies' network is named by the proxy that forwards for it; if all hops are trusted, the first one counts.
    const isNamed = forwardedFor !== undefined && origin === address;
    if (!isNamed && this.isProxy(address)) {
      this.unexplained += 1;
      this.forwarder = address;
    } else if (origin !== address) {
      this.forwarded += 1;
      this.forwarder = address;
      if (this.origins.size < MIN_ORIGINS) this.origins.add(origin);
    }
    this.requests += 1;
    if (this.requests === WINDOW) this.decide();
  }

  private decide(): void {
    const before = this.fault;
    this.fault = this.faultOfWindow();
    if (this.fault !== before) this.report();
    this.requests = 0;
    this.forwarded = 0;
    this.unexplained = 0;
    this.origins = new Set();
  }

  private faultOfWindow(): ForwardingFault | null {
    if (this.unexplained >= MIN_FAULTY) return 'proxy_hides_clients';
    return this.forwarded >= MIN_FAULTY && this.origins.size >= MIN_ORIGINS ? 'untrusted_proxy' : null;
  }

  private report(): void {
    if (this.fault === 'untrusted_proxy') {
      this.logger.warn(
        `Of ${WINDOW} requests ${this.forwarded} were forwarded for others than they count for; the last of them counts for ` +
          `${this.forwarder}: if that is your proxy, name it in TRUST_PROXY. Until then all its callers share one limit`,
      );
    } else if (this.fault === 'proxy_hides_clients') {
      this.logger.warn(
        `Of ${WINDOW} requests ${this.unexplained} came from proxies of TRUST_PROXY without their caller's address in ` +
          `X-Forwarded-For; the last of them counts for ${this.forwarder}: if it calls for others, let it send their addresses. ` +
          'Until then all of them share one limit',
      );
    }
  }
}

/** Of one hop only: a header can have thousands, and each that is no address takes its time. */
function firstHop(forwardedFor: string): string {
  const hop = forwardedFor.split(',', 1)[0]?.trim().slice(0, 64) ?? '';
  return normaliseAddress(hop) ?? hop;
}
