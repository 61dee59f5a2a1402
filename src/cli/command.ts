import type { INestApplicationContext } from '@nestjs/common';
import { ApiError } from '../common/errors/index.js';

/** What the operator named does not exist, or is not to be changed so; said as it is. */
export class RefusedError extends Error {}

export interface CommandResult {
  /** Output for people, one line for each thing done or found. */
  lines: string[];
  /** The same for programs, with `--json`. */
  data: unknown;
}

export interface Command {
  /** Name of its argument in the help; null if it takes none. */
  argument: string | null;
  help: string;
  /** @param tell people how far a long command is, in a line of its own */
  run(app: INestApplicationContext, argument: string, tell: (progress: string) => void): Promise<CommandResult>;
}

/** The last line of a list that ends at a limit, if it has reached it. */
export function cutLines(count: number, limit: number): string[] {
  return count < limit ? [] : [`These are ${limit}; there may be more`];
}

/** Throws the service's refusals anew, in words for the operator, and any other error as it is. */
export function refused(error: unknown): never {
  if (error instanceof ApiError) throw new RefusedError(error.fields?.[0]?.message ?? error.message);
  throw error;
}
