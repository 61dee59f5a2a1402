/** GET /api/profile with everything on, beside bare Fastify answering the same bytes. */
import { interleave, median, perSecond, ratio } from '../figures.mjs';
import { Program } from '../processes.mjs';
import { logInAll, profileBody, profileRequest, startService } from '../service.mjs';

const PARALLEL = 32;

export async function run({ generator, rounds, seconds, hasRedis }) {
  const services = { 'in-process': await startService() };
  if (hasRedis) services['with Redis'] = await startService({ redis: true });
  const jobs = {};
  for (const [name, service] of Object.entries(services)) {
    const sessions = await logInAll(service);
    jobs[name] = { port: service.port, requests: sessions.map(profileRequest) };
    jobs.bare ??= await bareFastify(await profileBody(service, sessions[0]));
  }
  const measured = await interleave(rounds, jobs, (job) => generator.run({ ...job, seconds, parallel: PARALLEL }));
  const bare = median(measured.bare, 'perSecond');
  return [
    ['Bare Fastify, the same JSON', perSecond(bare), '1.00'],
    ...Object.keys(services).map((name) => {
      const figure = median(measured[name], 'perSecond');
      return [`GET /api/profile, ${name}`, perSecond(figure), ratio(figure / bare)];
    }),
  ];
}

async function bareFastify(body) {
  const { port } = await new Program('programs/bare-fastify.mjs', { env: { BODY: body } }).ready();
  return { port, requests: ['GET /api/profile HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'] };
}
