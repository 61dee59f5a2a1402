import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
/** Node cuts longer unix socket paths silently, and two long paths could then become the same. */
const LONGEST_SOCKET_PATH = 100;
/** Drivers take a host for a socket path only when it ends like this. */
const SOCKET = 'mongodb.sock';
const OWN_FILES = ['data.mdb', 'data.mdb-lock', SOCKET];
/** A new directory that nobody else can enter, for a store that is thrown away. */
export function temporaryDirectory() {
    const parent = tmpdir().length > 60 ? '/tmp' : tmpdir();
    const path = mkdtempSync(join(parent, 'embedded-mongodb-'));
    return { path, dataFile: join(path, 'data.mdb'), socketPath: join(path, SOCKET) };
}
/** Creates the directory where needed and closes it to other users. @throws Error when that is not possible */
export function privateDirectory(directory) {
    const path = resolve(directory);
    try {
        makePrivate(path);
        return { dataFile: join(path, 'data.mdb'), socketPath: socketPathFor(path) };
    }
    catch (error) {
        throw new Error(`The directory ${path} cannot be used for the embedded store: ${error.message}`, {
            cause: error,
        });
    }
}
function socketPathFor(path) {
    const inside = join(path, SOCKET);
    if (Buffer.byteLength(inside) <= LONGEST_SOCKET_PATH)
        return inside;
    const name = createHash('sha256').update(path).digest('hex').slice(0, 24);
    const outside = join('/tmp', `embedded-mongodb-${process.getuid?.() ?? 0}-${name}`);
    makePrivate(outside);
    return join(outside, SOCKET);
}
/** Whoever prepared a directory of this name in /tmp could read the socket: it has to be our own and no link. */
function makePrivate(path) {
    create(path);
    const found = lstatSync(path);
    if (!found.isDirectory() && !found.isSymbolicLink())
        throw new Error('it is not a directory');
    if (path.startsWith('/tmp/embedded-mongodb-') && found.isSymbolicLink())
        throw new Error(`${path} is a link`);
    if (process.getuid && lstatSync(`${path}/.`).uid !== process.getuid())
        throw new Error('it belongs to another user');
    const isOpen = (lstatSync(`${path}/.`).mode & 0o077) !== 0;
    // Closing a directory that somebody uses for other things as well would be worse than refusing it.
    if (isOpen && !readdirSync(path).every((name) => OWN_FILES.includes(name))) {
        throw new Error('other users can enter it and it holds other files');
    }
    chmodSync(path, 0o700);
}
/** Node's own recursive mkdir never returns where a parent can neither be found nor made, as below /proc. */
function create(path) {
    if (!existsSync(dirname(path)))
        create(dirname(path));
    try {
        mkdirSync(path, { mode: 0o700 });
    }
    catch (error) {
        if (error.code !== 'EEXIST')
            throw error;
    }
}
//# sourceMappingURL=directory.js.map