/** The built service with accounts in it, and the requests to send it. */
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addCrowd } from './crowd.mjs';
import { Program } from './processes.mjs';

const API_KEY = 'key-of-the-benchmark';
const PASSWORD = 'Abcdef1@';
/** As in production, but for limits that no measurement reaches. */
const SETTINGS = {
  PORT: '0',
  HOST: '127.0.0.1',
  JWT_SECRET: 'Gq3vX8mT1zLr6YbW0pKd9sNc4fHj7uAe',
  JWT_REFRESH_SECRET: 'Zt5kR2wQ8nVx1BgM6yCf3hLp9sDj0uEa',
  API_KEYS: `bench:${createHash('sha256').update(API_KEY).digest('hex')}`,
  ...Object.fromEntries(
    ['AUTH_RATE_', 'RATE_'].flatMap((limit) => [
      [`${limit}LIMIT`, '1000000'],
      [`${limit}WINDOW`, '1m'],
    ]),
  ),
};
const PRODUCTION = { NODE_ENV: 'production', ALLOW_EMBEDDED: 'true' };
export const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
const MAIN = '../../dist/main.js';
const LISTENS = / on http:\S+/;

const directories = [];
function newDirectory() {
  directories.push(mkdtempSync(join(tmpdir(), 'bench-')));
  return directories.at(-1);
}
export function removeDirectories() {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
}

async function call(url, path, body) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url + path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : {});
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return (await answer.json()).data;
}

/** Registers people in a service of its own. @returns the directory they are in, and their names */
async function seed(count) {
  const directory = newDirectory();
  const service = await new Program(MAIN, { env: { ...SETTINGS, DATA_DIR: directory } }).ready(LISTENS);
  const logins = Array.from({ length: count }, (_, i) => `person_${i}`);
  for (const username of logins) {
    const email = `${username}@example.com`;
    const person = { username, email, first_name: 'Ada', last_name: 'Lovelace' };
    await call(service.url, '/auth/register', { ...person, password: PASSWORD, password_confirmation: PASSWORD });
    let mails = [];
    while (mails.length === 0) mails = await call(service.url, `/dev/inbox?to=${email}`);
    await call(service.url, '/auth/verify-otp', { email, otp: mails[0].otp });
  }
  await service.stop();
  return { directory, logins };
}

const PEOPLE = 32;
let seeded;

/**
 * Starts the service in production mode on a copy of the seeded data.
 * @param options also `env`, `nodeOptions`, `main` of another build; `crowd`: so many more accounts, and the first person
 *   an administrator; `ready`: what the program says when it can be asked, by default that it listens
 */
export async function startService({
  redis = false,
  main = MAIN,
  env = {},
  crowd = 0,
  ready = LISTENS,
  ...options
} = {}) {
  seeded ??= await seed(PEOPLE);
  const directory = newDirectory();
  cpSync(seeded.directory, directory, { recursive: true });
  if (crowd > 0) await addCrowd(directory, crowd, seeded.logins[0]);
  const prefix = `bench_${process.pid}_${directories.length}:`;
  const store = redis ? { REDIS_URL, REDIS_KEY_PREFIX: prefix } : {};
  const settings = { ...SETTINGS, ...PRODUCTION, ...store, DATA_DIR: directory, ...env };
  return new Program(main, { env: settings, ...options }).ready(ready);
}

/** @returns tokens of one session for each person */
export async function logInAll({ url }) {
  const sessions = [];
  // One after the other: on a slow core the service refuses those at the end of a long queue.
  for (const login of seeded.logins) sessions.push(await call(url, '/auth/login', { login, password: PASSWORD }));
  return sessions;
}

export function apiRequest(path, { token }) {
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${API_KEY}\r\nauthorization: Bearer ${token}\r\n\r\n`;
}
export const profileRequest = (session) => apiRequest('/api/profile', session);

export async function profileBody({ url }, { token }) {
  const headers = { 'x-api-key': API_KEY, authorization: `Bearer ${token}` };
  return (await fetch(`${url}/api/profile`, { headers })).text();
}

const post = (path, body) => {
  const text = JSON.stringify(body);
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n`;
  return `${head}content-length: ${text.length}\r\n\r\n${text}`;
};
export const refreshRequest = ({ refresh_token }) => post('/auth/refresh-token', { refresh_token });
export const loginRequests = () => seeded.logins.map((login) => post('/auth/login', { login, password: PASSWORD }));
