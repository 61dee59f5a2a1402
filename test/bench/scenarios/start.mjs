/** From the start of the process to its first answer, and the memory it then takes. */
import { setTimeout as pause } from 'node:timers/promises';
import { milliseconds, median } from '../figures.mjs';
import { residentMegabytes } from '../processes.mjs';
import { startService } from '../service.mjs';

/** V8 gives back what the start needed after a quarter of a minute without work. */
const SETTLED_MS = 30_000;
/** Memory is told without the city data, which is read whole: a file that holds none takes its place. */
const WITHOUT_CITIES = { env: { GEOIP_DB: 'off' } };

export async function run({ rounds }) {
  const measured = [];
  for (let round = 0; round <= rounds; round++) {
    const service = await startService();
    await fetch(`${service.url}/health/live`);
    // The first start writes what the later ones read.
    if (round > 0) measured.push({ answeredMs: performance.now() - service.started });
    await service.stop();
  }
  const memory = process.platform === 'linux' ? await idleMemory() : 'not known';
  return [
    ['Start to the first answer, embedded store', milliseconds(median(measured, 'answeredMs')), ''],
    ['Memory when idle, without city data', memory, ''],
  ];
}

/** Of three starts: in one of five V8 keeps thirty megabytes more. */
async function idleMemory() {
  const measured = [];
  for (let start = 0; start < 3; start++) measured.push({ megabytes: await idleMegabytes() });
  return `${Math.round(median(measured, 'megabytes'))} MB`;
}

async function idleMegabytes() {
  const service = await startService(WITHOUT_CITIES);
  await fetch(`${service.url}/health/live`);
  await pause(SETTLED_MS);
  const megabytes = residentMegabytes(service);
  await service.stop();
  return megabytes;
}
