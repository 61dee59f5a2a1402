/** What is alive in memory after a hundred thousand requests of many kinds, and after a million. */
import { apiRequest, logInAll, loginRequests, profileRequest, refreshRequest, startService } from '../service.mjs';

const FIRST = 100_000;
const ALL = 1_000_000;
/** Garbage is collected on demand, so that what is counted is what is kept. */
const LIVE_HEAP = ['--expose-gc', `--import=${new URL('../programs/live-heap.mjs', import.meta.url)}`];
const PARALLEL = 32;
const SECONDS = 8;

export async function run({ generator }) {
  const service = await startService({ env: { GEOIP_DB: 'off' }, nodeOptions: LIVE_HEAP });
  const { port } = service;
  const sessions = await logInAll(service);
  const refused = [
    apiRequest('/api/profile', { token: 'not a token' }),
    apiRequest('/api/nothing', sessions[0]),
    profileRequest(sessions[1]).replace('x-api-key: key', 'x-api-key: wrong'),
    loginRequests()[0].replace('"password"', '"passport"'),
  ];
  const requests = sessions.flatMap((session, i) => [profileRequest(session), refused[i % refused.length]]);
  let chain = sessions.map(refreshRequest);
  let sent = 0;
  const sendUntil = async (total) => {
    while (sent < total) {
      const mixed = await generator.run({ port, requests, seconds: SECONDS, parallel: PARALLEL * 2, mayFail: true });
      const refreshed = await generator.run({ port, requests: chain, seconds: 2, parallel: chain.length, chain: true });
      chain = refreshed.last;
      sent += mixed.perSecond * SECONDS + refreshed.perSecond * 2;
    }
    const { heapUsed, external } = await service.ask('live heap');
    return (heapUsed + external) / 1e6;
  };
  const first = await sendUntil(FIRST);
  const last = await sendUntil(ALL);
  await service.stop();
  return [
    ['Alive in memory after 100,000 requests', `${Math.round(first)} MB`, '1.00'],
    ['… after 1,000,000', `${Math.round(last)} MB`, (last / first).toFixed(2)],
  ];
}
