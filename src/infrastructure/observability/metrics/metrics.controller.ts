import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../../../common/access/index.js';
import { Metrics } from './metrics.js';

/** `/metrics` in Prometheus' text format. Like `/docs` it is not in the OpenAPI document, which is for callers of the API. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @Public({ limit: 'none' })
  async getMetrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    reply.type(this.metrics.contentType);
    return this.metrics.render();
  }
}
