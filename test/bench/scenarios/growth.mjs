/** What a request costs among a thousand accounts, and among as many as --users says, with five logins of each. */
import { crowdId, crowdName } from '../crowd.mjs';
import { interleave, median, perSecond, ratio } from '../figures.mjs';
import { apiRequest, loginRequests, logInAll, profileRequest, refreshRequest, startService } from '../service.mjs';

const FEW = 1_000;
const PARALLEL = 8;
const DIFFERENT = 500;

const LISTS = {
  'GET /api/users': '/api/users',
  '… ?status=inactive': '/api/users?status=inactive',
  '… ?search=, of very many': `/api/users?search=${crowdName(0).slice(0, 7)}`,
  '… ?search= and status': `/api/users?search=${crowdName(0).slice(0, 7)}&status=inactive`,
  'GET /api/login-history': '/api/login-history',
  '… /statistics': '/api/login-history/statistics',
  'GET /api/security-events': '/api/security-events',
  '… ?kind=': '/api/security-events?kind=authn_logout',
  '… ?user= and kind': `/api/security-events?user=${crowdId(2)}&kind=authn_logout`,
};

async function prepare(users, seconds) {
  const service = await startService({ crowd: users });
  const sessions = await logInAll(service);
  const [administrator] = sessions;
  // Spread over all of them: else the same few pages of the store would be read again and again.
  const different = (path) =>
    Array.from({ length: DIFFERENT }, (_, i) => apiRequest(path(Math.floor((i * users) / DIFFERENT)), administrator));
  const requests = {
    'POST /auth/login': loginRequests(),
    'GET /api/profile': sessions.map(profileRequest),
    'GET /api/users/:id': different((number) => `/api/users/${crowdId(number)}`),
    '… ?search=, of one': different((number) => `/api/users?search=${crowdName(number)}`),
    '… /:id/login-history': different((number) => `/api/users/${crowdId(number)}/login-history`),
    ...Object.fromEntries(Object.entries(LISTS).map(([name, path]) => [name, [apiRequest(path, administrator)]])),
  };
  const jobs = Object.fromEntries(
    Object.entries(requests).map(([name, texts]) => [name, { requests: texts, parallel: PARALLEL }]),
  );
  // Last: it ends what the sessions' tokens were good for.
  jobs['POST /auth/refresh-token'] = {
    requests: sessions.slice(1, 1 + PARALLEL).map(refreshRequest),
    parallel: PARALLEL,
    chain: true,
  };
  return { port: service.port, jobs, seconds };
}

export async function run({ generator, rounds, seconds, users }) {
  const sizes = { few: await prepare(FEW, seconds), many: await prepare(users, seconds) };
  const rows = [];
  for (const name of Object.keys(sizes.few.jobs)) {
    const measured = await interleave(rounds, sizes, async ({ port, jobs }) => {
      const outcome = await generator.run({ port, seconds, ...jobs[name] });
      if (jobs[name].chain) jobs[name].requests = outcome.last;
      return outcome;
    });
    const [few, many] = [median(measured.few, 'perSecond'), median(measured.many, 'perSecond')];
    rows.push([`${name}, ${users.toLocaleString('en')} accounts`, perSecond(many), ratio(many / few)]);
    console.error(rows.at(-1).join('  '));
  }
  return rows;
}
