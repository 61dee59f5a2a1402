/**
 * GET /api/profile of this build beside that of another, in slices so short that a machine which is quick for a second and slow
 * for the next is the same for both: a change of a twentieth can be told. Beside it as well: what the lines of the log cost.
 */
import { interleave, median, perSecond, ratio } from '../figures.mjs';
import { logInAll, profileRequest, startService } from '../service.mjs';

const PARALLEL = 32;
const SLICE_SECONDS = 0.4;
const SLICES_A_ROUND = 12;
/** The engine has compiled by then what is asked again and again. */
const WARM_UP_SECONDS = 5;

export async function run({ generator, rounds, build, hasRedis }) {
  const variants = {
    'this build': {},
    '… without lines in the log': { env: { LOG_LEVEL: 'warn' } },
    ...(hasRedis ? { 'this build, with Redis': { redis: true } } : {}),
  };
  if (build) {
    variants['the other build'] = { main: build };
    if (hasRedis) variants['the other build, with Redis'] = { main: build, redis: true };
  }
  const jobs = {};
  for (const [name, variant] of Object.entries(variants)) {
    const service = await startService(variant);
    const requests = (await logInAll(service)).map(profileRequest);
    jobs[name] = { port: service.port, requests, parallel: PARALLEL };
    await generator.run({ ...jobs[name], seconds: WARM_UP_SECONDS });
  }
  const slice = (job) => generator.run({ ...job, seconds: SLICE_SECONDS });
  const measured = await interleave(rounds * SLICES_A_ROUND, jobs, slice);
  return Object.keys(jobs).map((name) => {
    const pairs = measured[name].map((outcome, i) => ({
      ratio: outcome.perSecond / measured['this build'][i].perSecond,
    }));
    const figure = perSecond(median(measured[name], 'perSecond'));
    return [`GET /api/profile, ${name}`, figure, ratio(median(pairs, 'ratio'))];
  });
}
