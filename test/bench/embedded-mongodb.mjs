/**
 * Speed and size of the embedded store, measured through Mongoose on the compiled service (npm run build):
 *   node test/bench/embedded-mongodb.mjs                     operations per second, medians of interleaved rounds
 *   node test/bench/embedded-mongodb.mjs --users 1000000     start-up, look-ups, memory and upkeep with that many users
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import mongoose from 'mongoose';

const STORE = new URL('../../dist/modules/infrastructure/database/embedded-mongodb/', import.meta.url);
const ROUNDS = 5;
const CELL_MS = 400;
const LOOK_UPS = 3_000;
const BATCH = 5_000;

const { values: options } = parseArgs({ options: { users: { type: 'string' }, serve: { type: 'string' } } });
const { startEmbeddedMongodb } = await import(new URL('index.js', STORE));

const userSchema = new mongoose.Schema(
  {
    email: { type: String, unique: true },
    username: { type: String, unique: true },
    passwordHash: String,
    roles: [String],
    isVerified: Boolean,
    logins: Number,
    profile: { firstName: String, lastName: String, locale: String },
  },
  { timestamps: true },
);

const user = (number) => ({
  email: `user-${number}@example.test`,
  username: `user_${number}`,
  passwordHash: '$2b$12$'.padEnd(60, String(number)),
  roles: ['user'],
  isVerified: number % 3 > 0,
  logins: number % 50,
  profile: { firstName: 'Ada', lastName: `Lovelace ${number}`, locale: 'en-GB' },
});

const median = (figures) => figures.toSorted((a, b) => a - b)[figures.length >> 1];
const whole = (figure) => Math.round(figure).toLocaleString('en');
const megabytes = (bytes) => `${whole(bytes / 2 ** 20)} MB`;
const newDirectory = () => mkdtempSync(join(tmpdir(), 'embedded-mongodb-bench-'));
const remove = (directory) => rmSync(directory, { recursive: true, force: true });

async function connect(uri) {
  // An index over a million documents takes longer than a driver waits for a sign of life.
  const settings = { dbName: 'bench', maxPoolSize: 32, connectTimeoutMS: 300_000 };
  const connection = await mongoose.createConnection(uri, settings).asPromise();
  const User = connection.model('User', userSchema);
  await User.init();
  return { connection, User };
}

/** Operations per second. */
async function rate(parallel, operation) {
  const start = performance.now();
  const isOver = () => performance.now() - start > CELL_MS;
  let done = 0;
  const worker = async () => {
    for (; !isOver(); done++) await operation();
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return (done * 1000) / (performance.now() - start);
}

async function operationsPerSecond() {
  const directory = newDirectory();
  const modes = { 'on disk, worker thread': { directory, workerThread: true }, 'throw-away': {} };
  const cells = new Map();
  const opened = [];
  for (const [mode, how] of Object.entries(modes)) {
    const store = await startEmbeddedMongodb(how);
    const { connection, User } = await connect(store.uri);
    let last = 0;
    const seeded = await User.insertMany(Array.from({ length: 1000 }, () => user(last++)));
    const some = () => seeded[Math.floor(Math.random() * seeded.length)];
    const operations = {
      insert: () => User.create(user(last++)),
      'find by id': () => User.findById(some()._id),
      'find by unique index': () => User.findOne({ email: some().email }),
      findOneAndUpdate: () => User.findOneAndUpdate({ _id: some()._id }, { $inc: { logins: 1 } }),
    };
    opened.push({ mode, store, connection, operations });
  }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { mode, operations } of opened) {
      for (const [name, operation] of Object.entries(operations)) {
        for (const parallel of [1, 32]) {
          const figure = await rate(parallel, operation);
          const key = `${name}, ${parallel} at a time`;
          // The first round warms up.
          if (round > 0) cells.set(key, { ...cells.get(key), [mode]: [...(cells.get(key)?.[mode] ?? []), figure] });
        }
      }
    }
  }
  for (const { connection, store } of opened) {
    await connection.close();
    await store.close();
  }
  remove(directory);
  console.log(`Operations per second, medians of ${ROUNDS} interleaved rounds`);
  const rows = [...cells].map(([key, modes]) => [
    key,
    Object.fromEntries(Object.entries(modes).map(([mode, figures]) => [mode, Math.round(median(figures))])),
  ]);
  console.table(Object.fromEntries(rows));
}

/** Serves a directory in a process of its own, whose memory is then the memory of the store. */
async function serve(directory) {
  const start = performance.now();
  const store = await startEmbeddedMongodb({ directory });
  process.send({ uri: store.uri, startMs: performance.now() - start, sinceBirthMs: performance.now() });
  process.on('message', async (message) => {
    if (message === 'memory') process.send(memory());
    else await store.close().then(() => process.disconnect());
  });
}

/** RssFile holds the mapped pages of the data file, which the system may take back at any time. */
function memory() {
  globalThis.gc?.();
  const status = readFileSync('/proc/self/status', 'utf8');
  const kilobytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)[1]) * 1024;
  return {
    total: kilobytes('VmRSS'),
    own: kilobytes('RssAnon'),
    mapped: kilobytes('RssFile'),
    peak: kilobytes('VmHWM'),
  };
}

async function open(directory) {
  const child = fork(fileURLToPath(import.meta.url), ['--serve', directory], { execArgv: ['--expose-gc'] });
  const [started] = await once(child, 'message');
  const client = await connect(started.uri);
  return {
    ...started,
    ...client,
    memory: async () => {
      child.send('memory');
      return (await once(child, 'message'))[0];
    },
    close: async () => {
      await client.connection.close();
      const ended = once(child, 'exit');
      child.send('close');
      await ended;
    },
  };
}

async function fill(directory, users) {
  const { User, memory: memoryOf, close } = await open(directory);
  for (let from = 0; from < users; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, users - from) }, (_, i) => user(from + i));
    const now = new Date();
    await User.collection.insertMany(batch.map((one) => ({ ...one, createdAt: now, updatedAt: now })));
  }
  const { peak } = await memoryOf();
  await close();
  return peak;
}

/** Microseconds per look-up by unique index, one at a time. */
async function lookUps(User, users) {
  const start = performance.now();
  for (let i = 0; i < LOOK_UPS; i++) {
    const email = `user-${Math.floor(Math.random() * users)}@example.test`;
    if (!(await User.findOne({ email }).lean())) throw new Error(`${email} is missing`);
  }
  return ((performance.now() - start) * 1000) / LOOK_UPS;
}

async function timed(action) {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

async function manyUsers(users) {
  const directories = [newDirectory(), newDirectory()];
  const counts = [1_000, users];
  try {
    const peaks = [];
    const fillMs = [];
    for (const [i, directory] of directories.entries()) {
      fillMs.push(await timed(async () => peaks.push(await fill(directory, counts[i]))));
    }
    const stores = [];
    for (const directory of directories) stores.push(await open(directory));
    const idle = await Promise.all(stores.map((store) => store.memory()));
    const times = [[], []];
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [i, { User }] of stores.entries()) {
        const microseconds = await lookUps(User, counts[i]);
        if (round > 0) times[i].push(microseconds);
      }
    }
    const used = await Promise.all(stores.map((store) => store.memory()));
    const [few, many] = stores;
    const column = (i) => ({
      'data file': megabytes(statSync(join(directories[i], 'data.mdb')).size),
      'filled in': `${whole(fillMs[i])} ms`,
      'peak memory while filled': megabytes(peaks[i]),
      'start of the store': `${whole(stores[i].startMs)} ms`,
      'start, from the birth of the process': `${whole(stores[i].sinceBirthMs)} ms`,
      'look-up by unique index': `${whole(median(times[i]))} µs`,
      'memory after the start': `${megabytes(idle[i].total)} (own ${megabytes(idle[i].own)})`,
      'memory after the look-ups': `${megabytes(used[i].total)} (own ${megabytes(used[i].own)})`,
    });
    const names = ['data file', 'filled in', 'peak memory while filled', 'start of the store'];
    names.push('start, from the birth of the process', 'look-up by unique index');
    names.push('memory after the start', 'memory after the look-ups');
    const [left, right] = [column(0), column(1)];
    console.table(
      Object.fromEntries(
        names.map((name) => [name, { '1,000 users': left[name], [`${whole(users)} users`]: right[name] }]),
      ),
    );
    console.log(`look-up: ${(median(times[1]) / median(times[0])).toFixed(2)} times as long as with 1,000 users`);
    for (const kind of ['total', 'own', 'mapped']) {
      console.log(`memory, ${kind}: ${megabytes(used[1][kind] - used[0][kind])} more than with 1,000 users`);
    }
    await upkeep(many);
    await few.close();
    await many.close();
  } finally {
    directories.forEach(remove);
  }
}

async function upkeep({ User, memory: memoryOf, ...store }) {
  const tasks = {
    'count of all': () => User.countDocuments(),
    'count by a field without index': () => User.countDocuments({ isVerified: true }),
    'estimated count': () => User.estimatedDocumentCount(),
    'index build': () => User.collection.createIndex({ createdAt: 1 }),
    'newest page by that index': () => User.find().sort({ createdAt: -1 }).limit(20).lean(),
  };
  const rows = {};
  for (const [name, task] of Object.entries(tasks)) {
    const ms = await timed(task);
    const { total, peak } = await memoryOf();
    rows[name] = { time: `${whole(ms)} ms`, 'memory after': megabytes(total), 'peak so far': megabytes(peak) };
  }
  console.table(rows);
  return store;
}

if (options.serve) await serve(options.serve);
else if (options.users) await manyUsers(Number(options.users));
else await operationsPerSecond();
