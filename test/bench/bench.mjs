/**
 * What the service costs, as ratios within one run (npm run bench builds it first):
 *   npm run bench                                 four scenarios, about eight minutes
 *   npm run bench -- --only profile,refresh       some scenarios: profile, refresh, login, start, growth, leak, cluster, beside
 *   npm run bench -- --only growth --users 1000000   what a request costs among so many, after a quarter of an hour
 *   npm run bench -- --only beside --build ../before/dist/main.js   this build and another, in slices of 0.4 s
 *   npm run bench -- --rounds 3 --seconds 1       shorter, and less exact
 *   npm run bench -- --write                      also puts the table into docs/performance.md
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createClient } from 'redis';
import { removeShares } from './cpu-share.mjs';
import { markdownTable } from './figures.mjs';
import { isPinned, LoadGenerator, stopAll } from './processes.mjs';
import { REDIS_URL, removeDirectories } from './service.mjs';
import * as beside from './scenarios/beside.mjs';
import * as cluster from './scenarios/cluster.mjs';
import * as growth from './scenarios/growth.mjs';
import * as leak from './scenarios/leak.mjs';
import * as login from './scenarios/login.mjs';
import * as profile from './scenarios/profile.mjs';
import * as refresh from './scenarios/refresh.mjs';
import * as start from './scenarios/start.mjs';

const SCENARIOS = { profile, refresh, login, start, growth, leak, cluster, beside };
/** The others take long, or have to be root for what they tell (cluster: see cpu-share.mjs). */
const BY_DEFAULT = ['profile', 'refresh', 'login', 'start'];
const DOCUMENT = new URL('../../docs/performance.md', import.meta.url);
const FIGURES = /(<!-- figures -->\n).*(<!-- end of figures -->)/s;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: BY_DEFAULT.join() },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    users: { type: 'string', default: '50000' },
    build: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

async function answersRedis() {
  const client = createClient({ url: REDIS_URL, socket: { reconnectStrategy: false } });
  client.on('error', () => undefined);
  const answers = await client.connect().then(
    () => true,
    () => false,
  );
  if (answers) await client.disconnect();
  return answers;
}

async function measure() {
  const rows = [];
  const setting = {
    generator: await LoadGenerator.start(),
    rounds: Number(options.rounds),
    seconds: Number(options.seconds),
    users: Number(options.users),
    build: options.build && resolve(options.build),
    hasRedis: await answersRedis(),
  };
  for (const name of options.only.split(',')) {
    console.error(`${name} …`);
    const scenario = SCENARIOS[name];
    rows.push(...(await scenario.run(setting)));
  }
  return rows;
}

function conditions() {
  const date = new Date().toISOString().slice(0, 10);
  const { model } = cpus()[0];
  const pinned = isPinned ? 'server and load generator on one core each' : 'server and load generator share the cores';
  return `${date}, Node ${process.versions.node}, ${model}, ${pinned}, medians of ${options.rounds} interleaved rounds.`;
}

try {
  const table = markdownTable(['What', 'Figure', 'Ratio'], await measure());
  const report = `${conditions()}\n\n${table}`;
  console.log(report);
  if (options.write) {
    const text = readFileSync(DOCUMENT, 'utf8');
    writeFileSync(
      DOCUMENT,
      text.replace(FIGURES, (_, begin, end) => `${begin}\n${report}\n${end}`),
    );
  }
} finally {
  await stopAll();
  removeShares();
  removeDirectories();
}
