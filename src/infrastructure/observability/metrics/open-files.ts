import { readdir, readFile } from 'node:fs/promises';

/**
 * Counts the descriptors of files and connections that this process has open, and how many it may have. When there is none
 * left, libuv closes each new connection at once and tells nobody.
 * Only Linux shows both; elsewhere they are null.
 */
export class OpenFiles {
  private latestMax: number | null = null;

  async count(): Promise<number | null> {
    try {
      // One of them is of this very reading.
      return (await readdir('/proc/self/fd')).length - 1;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EMFILE' ? this.latestMax : null;
    }
  }

  /** It may be changed while the process runs (`prlimit`); to read it takes a descriptor, too. */
  async max(): Promise<number | null> {
    const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
    const max = /^Max open files +(\d+)/m.exec(limits)?.[1];
    if (max !== undefined) this.latestMax = Number(max);
    return this.latestMax;
  }
}
