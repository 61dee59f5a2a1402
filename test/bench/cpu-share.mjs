/** A share of a core for a process, by the kernel's control groups (Linux, where this user may make them). */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PERIOD_US = 100_000;
const VERSION_1 = '/sys/fs/cgroup/cpu';
const VERSION_2 = '/sys/fs/cgroup';
const isVersion1 = existsSync(join(VERSION_1, 'cpu.cfs_quota_us'));

const groups = [];

/** @returns whether the kernel sees to it */
export function limitCpu(pid, core, share) {
  const group = join(isVersion1 ? VERSION_1 : VERSION_2, `bench-${process.pid}-${groups.length}`);
  const quota = Math.round(PERIOD_US * share);
  const limits = isVersion1
    ? { 'cpu.cfs_period_us': PERIOD_US, 'cpu.cfs_quota_us': quota }
    : { 'cpu.max': `${quota} ${PERIOD_US}` };
  try {
    // First: where it is missing, nothing is limited either.
    execFileSync('taskset', ['-a', '-p', '-c', String(core), String(pid)]);
    mkdirSync(group);
    groups.push(group);
    for (const [file, limit] of Object.entries(limits)) writeFileSync(join(group, file), String(limit));
    writeFileSync(join(group, 'cgroup.procs'), String(pid));
    return true;
  } catch {
    return false;
  }
}

/** Once their processes are gone. */
export function removeShares() {
  for (const group of groups.splice(0)) {
    try {
      rmdirSync(group);
    } catch {
      // One that was killed has not ended yet. An empty group harms nobody.
    }
  }
}

/** @returns none where they cannot be told */
export function childrenOf(pid) {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
  } catch {
    return [];
  }
}
