/** POST /auth/login beside the bcrypt comparisons that the same core can do, and what logins do to everybody else. */
import { interleave, median, milliseconds, perSecond, ratio } from '../figures.mjs';
import { Program } from '../processes.mjs';
import { logInAll, loginRequests, profileRequest, startService } from '../service.mjs';

const LOGINS_AT_A_TIME = 8;
const PROFILES_PER_SECOND = 500;
/** The engine compiles what was called some thousand times. So many logins take a minute, on a service that runs for weeks. */
const WARM_UP_SECONDS = 60;

export async function run({ generator, rounds, seconds }) {
  const service = await startService();
  const sessions = await logInAll(service);
  const bound = await new Program('programs/bcrypt-bound.mjs').ready();
  const { port } = service;
  const logInFor = (seconds) => generator.run({ port, requests: loginRequests(), seconds, parallel: LOGINS_AT_A_TIME });
  const logIn = () => logInFor(seconds);
  const readProfile = () =>
    generator.run({
      port,
      requests: sessions.map(profileRequest),
      seconds,
      parallel: 64,
      perSecond: PROFILES_PER_SECOND,
    });
  const work = {
    bound: () => bound.ask({ seconds }),
    login: logIn,
    idle: readProfile,
    busy: async () => (await Promise.all([readProfile(), logIn()]))[0],
  };
  await logInFor(WARM_UP_SECONDS);
  const measured = await interleave(rounds, work, (measure) => measure());
  const [boundRate, loginRate] = [median(measured.bound, 'perSecond'), median(measured.login, 'perSecond')];
  const [idle, busy] = [median(measured.idle, 'p99'), median(measured.busy, 'p99')];
  return [
    ['bcrypt comparisons, cost 10', perSecond(boundRate), '1.00'],
    ['POST /auth/login', perSecond(loginRate), ratio(loginRate / boundRate)],
    ['p99 of GET /api/profile at 500 a second', milliseconds(idle), '1.00'],
    ['… while logins saturate the core', milliseconds(busy), ratio(busy / idle)],
  ];
}
