import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { clientAddress, normaliseAddress } from '../../common/http/index.js';

/** Number of requests after which it decides. */
const WINDOW = 200;
/** How many of them must have been forwarded; a few may bypass the proxy. */
const MIN_FORWARDED = 180;
/** How many different origins make it likely that a proxy forwards for many callers. */
const MIN_ORIGINS = 5;
/** Not counted: orchestrators and Prometheus bypass the proxy, and may be most of the traffic. */
const PROBES = /^\/(?:health|metrics)(?:[/?]|$)/;

/**
 * Notices that the service is behind proxies that `TRUST_PROXY` does not name: nearly every request was forwarded for another
 * address than the one it counts for. All callers then share the proxies' limits, and mails about new devices show the proxies'
 * addresses.
 */
export class ForwardingCheck {
  private readonly logger = new Logger('Forwarding');
  private requests = 0;
  private forwarded = 0;
  /** The address that the last forwarded request counted for. */
  private forwarder = '';
  private origins = new Set<string>();

  /** Whether `TRUST_PROXY` looks wrong, judging by the last 200 counted requests. */
  isSuspicious = false;

  watch(server: FastifyInstance): void {
    server.addHook('onRequest', (request, _reply, done) => {
      if (!PROBES.test(request.url)) this.see(clientAddress(request), request.headers['x-forwarded-for']);
      done();
    });
  }

  /** @param address that the request counts for */
  see(address: string, forwardedFor: string | string[] | undefined): void {
    const origin = forwardedFor === undefined ? address : firstHop(String(forwardedFor));
    if (origin !== address) {
      this.forwarded += 1;
      this.forwarder = address;
      if (this.origins.size < MIN_ORIGINS) this.origins.add(origin);
    }
    this.requests += 1;
    if (this.requests === WINDOW) this.decide();
  }

  private decide(): void {
    const isSuspicious = this.forwarded >= MIN_FORWARDED && this.origins.size >= MIN_ORIGINS;
    if (isSuspicious && !this.isSuspicious) {
      this.logger.warn(
        `Of ${WINDOW} requests ${this.forwarded} were forwarded for others than they count for; the last of them counts for ` +
          `${this.forwarder}: if that is your proxy, name it in TRUST_PROXY. Until then all its callers share one limit`,
      );
    }
    this.isSuspicious = isSuspicious;
    this.requests = 0;
    this.forwarded = 0;
    this.origins = new Set();
  }
}

function firstHop(forwardedFor: string): string {
  const hop = forwardedFor.split(',', 1)[0]?.trim().slice(0, 64) ?? '';
  return normaliseAddress(hop) ?? hop;
}
