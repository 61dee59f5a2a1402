import { Body, Controller, Delete, Get, Patch } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ApiError } from '../../common/errors/index.js';
import { DevRoute } from '../dev-route.decorator.js';
import { type ClockDto, MAX_OFFSET_SECONDS, MoveClockDto, toClockDto } from './clock.dto.js';
import { TimeTravel } from './time-travel.js';

@ApiExcludeController()
@Controller('dev/clock')
export class ClockController {
  constructor(private readonly time: TimeTravel) {}

  @Get()
  @DevRoute({ summary: 'The time as the service sees it', message: 'Clock' })
  getClock(): ClockDto {
    return toClockDto(this.time.clock);
  }

  @Patch()
  @DevRoute({
    summary:
      'Moves the clock: { "advance_seconds": n } from where it stands, or { "offset_seconds": n } from the real time',
    message: 'Clock moved',
  })
  async moveClock(@Body() { advance_seconds, offset_seconds }: MoveClockDto): Promise<ClockDto> {
    if (advance_seconds !== undefined && offset_seconds !== undefined)
      throw ApiError.invalidField('offset_seconds', 'offset_seconds cannot stand beside advance_seconds');
    await this.time.to((presentMs) => {
      const offsetMs = offset_seconds === undefined ? presentMs + (advance_seconds ?? 0) * 1000 : offset_seconds * 1000;
      if (offsetMs > MAX_OFFSET_SECONDS * 1000)
        throw ApiError.invalidField(
          'advance_seconds',
          `the clock can be ahead by ${MAX_OFFSET_SECONDS} seconds at most`,
        );
      return offsetMs;
    });
    return toClockDto(this.time.clock);
  }

  @Delete()
  @DevRoute({ summary: 'Sets the clock back to the real time', message: 'Clock reset' })
  async resetClock(): Promise<ClockDto> {
    await this.time.to(() => 0);
    return toClockDto(this.time.clock);
  }
}
