import type { INestApplicationContext } from '@nestjs/common';

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
  run(app: INestApplicationContext, argument: string): Promise<CommandResult>;
}
