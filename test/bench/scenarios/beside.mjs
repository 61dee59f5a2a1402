/**
 * GET /api/profile of this build beside that of another, in slices so short that a machine which is quick for a second and slow
 * for the next is the same for both. Each is started several times: two processes of one build differ by up to 6 %. Beside it as
 * well: what the lines of the log cost, and this build once more, whose ratio says how far the others' are to be believed.
 */
import { interleave, median, pairedRatio, perSecond, ratio, shuffled } from '../figures.mjs';
import { logInAll, profileRequest, startService } from '../service.mjs';

const PARALLEL = 32;
const SLICE_SECONDS = 0.4;
const STARTS = 4;
const SLICES_A_ROUND = 3;
/** The engine has compiled by then what is asked again and again. */
const WARM_UP_SECONDS = 4;

function variantsOf(build, hasRedis) {
  const variants = {
    'this build': {},
    '… once more': {},
    '… without lines in the log': { env: { LOG_LEVEL: 'warn' } },
  };
  if (hasRedis) variants['this build, with Redis'] = { redis: true };
  if (build) variants['the other build'] = { main: build };
  if (build && hasRedis) variants['the other build, with Redis'] = { main: build, redis: true };
  return variants;
}

/** Starts all, measures them in turns, and stops them. @returns what was measured, by their names */
async function measure(generator, variants, rounds) {
  const jobs = {};
  const services = [];
  // Which was started first is 5 % slower than which was started last.
  for (const [name, variant] of shuffled(Object.entries(variants))) {
    const service = await startService(variant);
    services.push(service);
    const requests = (await logInAll(service)).map(profileRequest);
    jobs[name] = { port: service.port, requests, parallel: PARALLEL };
    await generator.run({ ...jobs[name], seconds: WARM_UP_SECONDS });
  }
  const slice = (job) => generator.run({ ...job, seconds: SLICE_SECONDS });
  const measured = await interleave(rounds * SLICES_A_ROUND, jobs, slice);
  for (const service of services) await service.stop();
  return measured;
}

export async function run({ generator, rounds, build, hasRedis }) {
  const variants = variantsOf(build, hasRedis);
  const starts = [];
  for (let i = 0; i < STARTS; i++) starts.push(await measure(generator, variants, rounds));
  return Object.keys(variants).map((name) => {
    const ofAll = (which) => starts.flatMap((measured) => measured[which]);
    const figure = perSecond(median(ofAll(name), 'perSecond'));
    return [`GET /api/profile, ${name}`, figure, ratio(pairedRatio(ofAll(name), ofAll('this build')))];
  });
}
