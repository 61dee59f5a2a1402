import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../common/access/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Operation } from '../../common/openapi/index.js';
import { LivenessDto, ReadinessDto } from './health.dto.js';
import { Readiness } from './readiness.js';

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  @Public({ limit: 'none' })
  @Operation({
    summary: 'The process runs',
    description: 'Looks at no dependency: a restart would not mend them.',
    message: 'Alive',
    data: LivenessDto,
  })
  getLiveness(): LivenessDto {
    return { status: 'up' };
  }

  @Get('ready')
  @Public({ limit: 'none' })
  @Operation({
    summary: 'The process can serve requests',
    description:
      '`degraded`: it serves, without Redis. `down` comes with status 503, and the same `data` beside the error: without the database nothing can be served.',
    message: 'Ready',
    data: ReadinessDto,
  })
  async getReadiness(): Promise<ReadinessDto> {
    const report = await this.readiness.check();
    if (report.status === 'down') throw new ApiError('service_unavailable', { data: report });
    return report;
  }
}
