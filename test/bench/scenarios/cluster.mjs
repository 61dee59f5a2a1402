/**
 * GET /api/profile with Redis, served by one process and by two on a core each. Redis and the load generator need cores
 * too: where the kernel can see to it, each process gets a share of its core alone, so that they have what is left.
 */
import { availableParallelism } from 'node:os';
import { childrenOf, limitCpu } from '../cpu-share.mjs';
import { interleave, median, perSecond, ratio } from '../figures.mjs';
import { logInAll, profileRequest, startService } from '../service.mjs';

const PARALLEL = 64;
const SHARE = 0.25;
/** With a whole core, until the engine has compiled what it runs. */
const WARM_UP_SECONDS = 10;

export async function run({ generator, rounds, seconds, hasRedis }) {
  if (!hasRedis) return [];
  const jobs = {};
  let isLimited = true;
  for (const processes of [1, 2]) {
    // All log in at once at the beginning, which is not what is measured.
    const env = { WORKERS: String(processes), HASH_CONCURRENCY: '16' };
    const core = `0-${availableParallelism() - 1}`;
    const ready = processes === 1 ? undefined : new RegExp(`Processes +${processes}, all listening`);
    const service = await startService({ redis: true, main: '../../dist/cluster.js', env, core, ready });
    const { port } = service;
    const requests = (await logInAll(service)).map(profileRequest);
    jobs[processes] = { service, port, requests };
    await generator.run({ port, requests, seconds: WARM_UP_SECONDS * processes, parallel: PARALLEL });
    const workers = childrenOf(service.child.pid);
    isLimited &&= workers.length === processes;
    for (const [i, pid] of workers.entries()) isLimited = limitCpu(pid, i, SHARE) && isLimited;
  }
  const measured = await interleave(rounds, jobs, ({ port, requests }) =>
    generator.run({ port, requests, seconds, parallel: PARALLEL }),
  );
  for (const { service } of Object.values(jobs)) await service.stop();
  const [one, two] = [1, 2].map((processes) => median(measured[processes], 'perSecond'));
  const share = isLimited ? `, each ${SHARE} of a core` : '';
  return [
    [`GET /api/profile, with Redis, 1 process${share}`, perSecond(one), '1.00'],
    [`GET /api/profile, with Redis, 2 processes${share}`, perSecond(two), ratio(two / one)],
  ];
}
