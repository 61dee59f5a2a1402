import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { GivenSettings } from './production-rules.js';

/** Marks the metadata near the end of a MaxMind database (MaxMind DB specification, "Database Metadata"). */
const MAXMIND_MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const MAXMIND_MARK_WITHIN_BYTES = 128 * 1024;

/** Checks files named in the settings at the start, so that problems do not appear only when somebody registers or logs in. */
export function fileProblems({ PASSWORD_BLOCKLIST, GEOIP_DB }: GivenSettings): string[] {
  return [
    problemOf('PASSWORD_BLOCKLIST', PASSWORD_BLOCKLIST, () => null),
    problemOf('GEOIP_DB', GEOIP_DB, (end) =>
      end.includes(MAXMIND_MARK) ? null : "is no database in MaxMind's layout (.mmdb)",
    ),
  ].filter((problem) => problem !== null);
}

/** @param judge checks the last 128 KiB of the file */
function problemOf(name: string, file: string | undefined, judge: (end: Buffer) => string | null): string | null {
  if (file === undefined || file === 'off') return null;
  let problem: string | null;
  try {
    problem = judge(readEnd(file));
  } catch (error) {
    problem = `is no file that can be read (${(error as NodeJS.ErrnoException).code})`;
  }
  return problem && `${name}: ${problem}`;
}

function readEnd(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const end = Buffer.alloc(Math.min(size, MAXMIND_MARK_WITHIN_BYTES));
    readSync(descriptor, end, { position: size - end.length });
    return end;
  } finally {
    closeSync(descriptor);
  }
}
