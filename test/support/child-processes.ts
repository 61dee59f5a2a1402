import { execFileSync } from 'node:child_process';

/** The ids of the processes that a cluster has started to serve. */
export function childrenOf(pid: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n');
  const rows = table.map((line) => line.trim().split(/\s+/));
  return rows
    .filter(([, parent, ...args]) => Number(parent) === pid && args.join().includes('main.js'))
    .map(([id]) => Number(id));
}
