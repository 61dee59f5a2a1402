/** GET /api/profile with Redis, served by one process and by two, which share all cores with Redis and the load generator. */
import { availableParallelism } from 'node:os';
import { interleave, median, perSecond, ratio } from '../figures.mjs';
import { logInAll, profileRequest, startService } from '../service.mjs';

const PARALLEL = 64;

export async function run({ generator, rounds, seconds, hasRedis }) {
  if (!hasRedis) return [];
  const jobs = {};
  for (const processes of [1, 2]) {
    // All log in at once at the beginning, which is not what is measured.
    const env = { WORKERS: String(processes), HASH_CONCURRENCY: '16' };
    const core = `0-${availableParallelism() - 1}`;
    const service = await startService({ redis: true, main: '../../dist/cluster.js', env, core });
    jobs[processes] = { port: service.port, requests: (await logInAll(service)).map(profileRequest) };
  }
  const measured = await interleave(rounds, jobs, (job) => generator.run({ ...job, seconds, parallel: PARALLEL }));
  const [one, two] = [1, 2].map((processes) => median(measured[processes], 'perSecond'));
  return [
    ['GET /api/profile, with Redis, 1 process', perSecond(one), '1.00'],
    ['GET /api/profile, with Redis, 2 processes', perSecond(two), ratio(two / one)],
  ];
}
