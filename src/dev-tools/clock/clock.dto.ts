import { IsInt, Max, Min, ValidateIf } from 'class-validator';
import type { MovableClock } from './movable-clock.js';

/**
 * Forward only: what is stored would else be dated in the past of the database's own clock, which would purge it. Ten
 * years are beyond everything that expires.
 */
export const MAX_OFFSET_SECONDS = 10 * 366 * 86_400;

/** One of the two. */
export class MoveClockDto {
  /** From where it stands. */
  @Max(MAX_OFFSET_SECONDS)
  @Min(0)
  @IsInt()
  @ValidateIf(
    ({ advance_seconds, offset_seconds }: MoveClockDto) =>
      advance_seconds !== undefined || offset_seconds === undefined,
  )
  advance_seconds?: number;

  /** From the real time. */
  @Max(MAX_OFFSET_SECONDS)
  @Min(0)
  @IsInt()
  @ValidateIf(({ offset_seconds }: MoveClockDto) => offset_seconds !== undefined)
  offset_seconds?: number;
}

export interface ClockDto {
  now: string;
  offset_seconds: number;
}

export function toClockDto(clock: MovableClock): ClockDto {
  return { now: clock.now().toISOString(), offset_seconds: clock.offsetMs / 1000 };
}
