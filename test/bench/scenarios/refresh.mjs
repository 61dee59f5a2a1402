/** POST /auth/refresh-token on the embedded store, each rotation written to disk. */
import { interleave, median, milliseconds, perSecond } from '../figures.mjs';
import { logInAll, refreshRequest, startService } from '../service.mjs';

export async function run({ generator, rounds, seconds }) {
  const service = await startService();
  let requests = (await logInAll(service)).map(refreshRequest);
  const { refresh } = await interleave(rounds, { refresh: service }, async ({ port }) => {
    const outcome = await generator.run({ port, requests, seconds, parallel: requests.length, chain: true });
    requests = outcome.last;
    return outcome;
  });
  return [
    ['POST /auth/refresh-token, embedded store', perSecond(median(refresh, 'perSecond')), ''],
    ['… its median latency, 32 at a time', milliseconds(median(refresh, 'p50')), ''],
  ];
}
