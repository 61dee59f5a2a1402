/** Fills a store with people who never came: straight into it, for a million registrations would take half a day. */
import { join } from 'node:path';
import mongoose from 'mongoose';

const STORE = new URL('../../dist/modules/infrastructure/database/embedded-mongodb/index.js', import.meta.url);
const BATCH = 5_000;
const HISTORY_OF_EACH = 5;
const DAY_MS = 86_400_000;
const FIRST_SECOND = 0x60000000;
const KINDS = ['authn_login_success', 'authn_login_fail', 'authn_logout', 'authn_password_change'];

const { ObjectId } = mongoose.mongo;
const idOf = (number, kind) => new ObjectId((FIRST_SECOND + number).toString(16) + kind.padStart(16, '0'));

export const crowdId = (number) => idOf(number, 'a').toHexString();
export const crowdName = (number) => `crowd_${String(number).padStart(9, '0')}`;

const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

function user(number, now) {
  const username = crowdName(number);
  const at = new Date(now - (number % 1000) * 60_000);
  return {
    _id: idOf(number, 'a'),
    last_name: 'Lovelace',
    first_name: 'Ada',
    username,
    username_key: username,
    email: `${username}@example.com`,
    email_key: `${username}@example.com`,
    password: '$2b$10$'.padEnd(60, String(number)),
    created_at: at,
    updated_at: at,
    deleted_at: null,
    status: number % 10 === 0 ? 'inactive' : 'active',
  };
}

function auth(number, now) {
  return {
    _id: idOf(number, 'b'),
    user: idOf(number, 'a'),
    role: null,
    confirmed_at: new Date(now),
    disabled_at: number % 10 === 0 ? new Date(now) : null,
    credential_version: 1,
    recoveries: 0,
    password_reset_required: false,
  };
}

function login(number, now) {
  const owner = Math.floor(number / HISTORY_OF_EACH);
  const at = new Date(now - (number % 80) * DAY_MS);
  return {
    _id: idOf(number, 'c'),
    auth: idOf(owner, 'b'),
    user: idOf(owner, 'a'),
    ip: `198.51.${number % 100}.${owner % 250}`,
    token: `sha256:${number.toString(16).padStart(64, '0')}`,
    refresh_token: `sha256:${number.toString(16).padStart(64, 'f')}`,
    login_at: at,
    devices: {
      browser: { name: 'Firefox', version: '128.0', major: '128' },
      os: { name: 'Linux', version: '6.1' },
      platform: 'amd64',
      source: 'desktop',
    },
    locations: { country: 'FR', region: 'Île-de-France', city: 'Paris', timezone: 'Europe/Paris' },
    user_agent: USER_AGENT,
    generation: 0,
    rotated_at: at,
    credential_version: 1,
  };
}

function event(number, now) {
  return {
    _id: idOf(number, 'd'),
    kind: KINDS[number % KINDS.length],
    outcome: 'success',
    at: new Date(now - (number % 80) * DAY_MS),
    user: idOf(number, 'a'),
    session: idOf(number * HISTORY_OF_EACH, 'c').toHexString(),
    ip: '198.51.100.7',
    request_id: '3f0d7f5e-8a53-4b0f-9a35-55a3e1d6f4a5',
    detail: null,
  };
}

/** @param dataDirectory of a service that has run, so that collections and indexes are there, and does not run now */
export async function addCrowd(dataDirectory, users, administrator) {
  const { startEmbeddedMongodb } = await import(STORE);
  const store = await startEmbeddedMongodb({ directory: join(dataDirectory, 'mongodb'), workerThread: true });
  const connection = await mongoose.createConnection(store.uri, { dbName: 'accounts' }).asPromise();
  try {
    const { db } = connection;
    const now = Date.now();
    const fill = async (name, count, make) => {
      for (let first = 0; first < count; first += BATCH) {
        const length = Math.min(BATCH, count - first);
        const documents = Array.from({ length }, (_, i) => make(first + i, now));
        await db.collection(name).insertMany(documents, { ordered: false });
      }
    };
    await fill('users', users, user);
    await fill('auths', users, auth);
    await fill('login_histories', users * HISTORY_OF_EACH, login);
    await fill('security_events', users, event);
    const owner = await db.collection('users').findOne({ username_key: administrator });
    await db.collection('auths').updateOne({ user: owner._id }, { $set: { role: 'admin' } });
  } finally {
    await connection.close();
    await store.close();
  }
}
