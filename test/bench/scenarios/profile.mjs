/**
 * GET /api/profile with everything on, beside bare Fastify answering the same bytes, in short slices: a virtual machine is quick for
 * some seconds and slow for others, and what has much code loses more by a busy neighbour than what has little.
 */
import { interleave, median, pairedRatio, perSecond, ratio } from '../figures.mjs';
import { Program } from '../processes.mjs';
import { logInAll, profileBody, profileRequest, startService } from '../service.mjs';

const PARALLEL = 32;
const SLICE_SECONDS = 0.5;

export async function run({ generator, rounds, seconds, hasRedis }) {
  const services = { 'in-process': await startService() };
  if (hasRedis) services['with Redis'] = await startService({ redis: true });
  const jobs = {};
  for (const [name, service] of Object.entries(services)) {
    const sessions = await logInAll(service);
    jobs[name] = { port: service.port, requests: sessions.map(profileRequest) };
    jobs.bare ??= await bareFastify(await profileBody(service, sessions[0]));
  }
  for (const job of Object.values(jobs)) await generator.run({ ...job, seconds, parallel: PARALLEL });
  const slices = Math.ceil((rounds * seconds) / SLICE_SECONDS);
  const slice = (job) => generator.run({ ...job, seconds: SLICE_SECONDS, parallel: PARALLEL });
  const measured = await interleave(slices, jobs, slice);
  const figureOf = (name) => perSecond(median(measured[name], 'perSecond'));
  return [
    ['Bare Fastify, the same JSON', figureOf('bare'), '1.00'],
    ...Object.keys(services).map((name) => {
      return [`GET /api/profile, ${name}`, figureOf(name), ratio(pairedRatio(measured[name], measured.bare))];
    }),
  ];
}

async function bareFastify(body) {
  const { port } = await new Program('programs/bare-fastify.mjs', { env: { BODY: body } }).ready();
  return { port, requests: ['GET /api/profile HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'] };
}
