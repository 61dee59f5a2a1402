import { CommandError } from '../command-error.js';
import type { Document } from '../values/document.js';

/** @throws CommandError for arguments that are left over when a stage has taken its own */
export function refuseOthers(stage: string, code: number, others: Document): void {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new CommandError(code, `unknown argument to ${stage}: ${unknown}`);
}
