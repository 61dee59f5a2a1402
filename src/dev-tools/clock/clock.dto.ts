import { IsInt, Max, Min, ValidateIf } from 'class-validator';
import type { MovableClock } from './movable-clock.js';

/**
 * Only forward: documents dated in the past would be purged by the database, which has a clock of its own. Nothing lives longer
 * than ten years.
 */
export const MAX_OFFSET_SECONDS = 10 * 366 * 86_400;

/** Exactly one of the two. */
export class MoveClockDto {
  /** Relative to the service's present time. */
  @Max(MAX_OFFSET_SECONDS)
  @Min(0)
  @IsInt()
  @ValidateIf(
    ({ advance_seconds, offset_seconds }: MoveClockDto) =>
      advance_seconds !== undefined || offset_seconds === undefined,
  )
  advance_seconds?: number;

  /** Relative to the real time. */
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
