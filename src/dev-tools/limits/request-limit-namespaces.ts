import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/index.js';
import { LimitNamespaces } from '../../security/index.js';

export const LIMIT_NAMESPACE_HEADER = 'x-test-limit-namespace';

const NAMESPACE = /^[\w.-]{1,64}$/;

/** The namespace that a request names in a header. Implements the port LimitNamespaces of `security`. */
@Injectable()
export class RequestLimitNamespaces extends LimitNamespaces {
  override of({ headers }: FastifyRequest): string | null {
    const namespace = headers[LIMIT_NAMESPACE_HEADER];
    if (namespace === undefined) return null;
    if (typeof namespace === 'string' && NAMESPACE.test(namespace)) return namespace;
    throw ApiError.invalidField(
      LIMIT_NAMESPACE_HEADER,
      'must have 1 to 64 letters, digits, dots, hyphens or underscores',
    );
  }
}
