import { Body, Controller, Delete, Get, Patch } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ApiError } from '../../common/errors/index.js';
import { DevRoute } from '../dev-route.decorator.js';
import { type FaultsDto, SetFaultsDto } from './faults.dto.js';
import { Faults } from './faults.js';

@ApiExcludeController()
@Controller('dev/faults')
export class FaultsController {
  constructor(private readonly faults: Faults) {}

  @Get()
  @DevRoute({ summary: 'What fails on purpose', message: 'Faults' })
  getFaults(): FaultsDto {
    const { smtp, redis } = this.faults;
    return { smtp, redis };
  }

  @Patch()
  @DevRoute({
    summary:
      'Makes something fail: { "smtp": "up" | "down" | "refusing", "redis": "up" | "down" }, one of them or both',
    message: 'Faults set',
  })
  setFaults(@Body() { smtp, redis }: SetFaultsDto): FaultsDto {
    if (redis && this.faults.redis === 'not_configured')
      throw ApiError.invalidField('redis', 'redis is not in use: REDIS_URL is not set');
    if (smtp) this.faults.smtp = smtp;
    if (redis) this.faults.redis = redis;
    return this.getFaults();
  }

  @Delete()
  @DevRoute({ summary: 'Everything works again', message: 'Faults cleared' })
  clearFaults(): FaultsDto {
    this.faults.clear();
    return this.getFaults();
  }
}
