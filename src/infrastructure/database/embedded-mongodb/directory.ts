import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Node silently cuts longer unix socket paths, so that two long paths could become the same. */
const LONGEST_SOCKET_PATH = 100;

/** Drivers recognise a socket path by this ending. */
const SOCKET = 'mongodb.sock';

/** In bytes, of a directory that has room for its own socket. */
export const LONGEST_PATH = LONGEST_SOCKET_PATH - SOCKET.length - 1;

/** On Windows a named pipe, which is not a file, and which other users may not write to by default. */
const IS_WINDOWS = process.platform === 'win32';

const OWN_FILES = ['data.mdb', 'data.mdb-lock', SOCKET];

/** Creates a directory that nobody else can enter, for a throw-away store. */
export function temporaryDirectory() {
  const parent = tmpdir().length > 60 && !IS_WINDOWS ? '/tmp' : tmpdir();
  return filesIn(mkdtempSync(join(parent, 'embedded-mongodb-')));
}

/** Creates the directory if needed, and closes it to other users. @throws Error if that is not possible */
export function privateDirectory(directory: string) {
  const path = resolve(directory);
  try {
    makePrivate(path);
    return filesIn(path);
  } catch (error) {
    throw new Error(`The directory ${path} cannot be used for the embedded store: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Closes a socket that has just been listened on to other users. */
export function makeSocketPrivate(socketPath: string): void {
  if (!IS_WINDOWS) chmodSync(socketPath, 0o600);
}

/** Removes the socket that a crashed process left behind, on whose path nothing could listen. */
export function removeSocket(socketPath: string): void {
  if (!IS_WINDOWS) rmSync(socketPath, { force: true });
}

function filesIn(path: string) {
  return { path, dataFile: join(path, 'data.mdb'), socketPath: socketPathFor(path) };
}

function socketPathFor(path: string): string {
  const inside = join(path, SOCKET);
  const name = createHash('sha256').update(path).digest('hex').slice(0, 24);
  if (IS_WINDOWS) return `\\\\.\\pipe\\embedded-${name}-${SOCKET}`;
  if (Buffer.byteLength(inside) <= LONGEST_SOCKET_PATH) return inside;
  const outside = join('/tmp', `embedded-mongodb-${process.getuid?.() ?? 0}-${name}`);
  makePrivate(outside);
  return join(outside, SOCKET);
}

/** Another user could have created a directory of this name in /tmp: it must be this user's, and not a link. */
function makePrivate(path: string): void {
  create(path);
  const found = lstatSync(path);
  if (!found.isDirectory() && !found.isSymbolicLink()) throw new Error('it is not a directory');
  if (path.startsWith('/tmp/embedded-mongodb-') && found.isSymbolicLink()) throw new Error(`${path} is a link`);
  if (process.getuid && lstatSync(`${path}/.`).uid !== process.getuid()) throw new Error('it belongs to another user');
  const isOpen = !IS_WINDOWS && (lstatSync(`${path}/.`).mode & 0o077) !== 0;
  // A directory that is used for other things too is refused rather than closed to other users.
  if (isOpen && !readdirSync(path).every((name) => OWN_FILES.includes(name))) {
    throw new Error('other users can enter it and it holds other files');
  }
  chmodSync(path, 0o700);
}

/** Node's recursive mkdir never returns where a parent neither exists nor can be created, as below /proc. */
function create(path: string): void {
  if (!existsSync(dirname(path))) create(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
