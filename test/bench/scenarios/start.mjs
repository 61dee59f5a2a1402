/** From the start of the process to its first answer, and the memory it then takes. */
import { setTimeout as pause } from 'node:timers/promises';
import { milliseconds, median } from '../figures.mjs';
import { residentMegabytes } from '../processes.mjs';
import { startService } from '../service.mjs';

/**
 * V8 gives back what the start needed once it sees little work, by one collection to the next. In some starts the next comes only
 * when what an idle process does has filled the young generation of the start.
 */
const SETTLED_MS = 150_000;
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

async function idleMemory() {
  const services = [];
  for (let start = 0; start < 3; start++) services.push(await startService(WITHOUT_CITIES));
  for (const { url } of services) await fetch(`${url}/health/live`);
  await pause(SETTLED_MS);
  const measured = services.map((service) => ({ megabytes: residentMegabytes(service) }));
  for (const service of services) await service.stop();
  return `${Math.round(median(measured, 'megabytes'))} MB`;
}
