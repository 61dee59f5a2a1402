import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from './config-error.js';

export interface DevelopmentSecrets {
  jwtSecret: string;
  jwtRefreshSecret: string;
  apiKey: string;
}

const FILE = 'development-secrets.json';

/**
 * Reads the secrets of a development machine, or makes them on its first start, so that sessions survive a restart.
 * @param isReadOnly whether to store none: a command that is run in another directory must not leave files there
 * @throws ConfigError when the directory cannot be used or the file is damaged.
 */
export function developmentSecrets(directory: string, isReadOnly: boolean): DevelopmentSecrets {
  const path = join(directory, FILE);
  try {
    if (isReadOnly) return read(path) ?? newSecrets();
    createDirectory(directory);
    if (!read(path)) create(path);
    const secrets = read(path);
    if (secrets) return secrets;
    throw new SyntaxError('a link to nowhere');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new ConfigError([code ? `DATA_DIR: ${directory} cannot be used (${code})` : `DATA_DIR: ${path} is damaged`]);
  }
}

/** Node's recursive mkdir never returns where a parent neither exists nor can be created, as below /proc. */
function createDirectory(path: string): void {
  if (!existsSync(dirname(path))) createDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function read(path: string): DevelopmentSecrets | null {
  try {
    const { jwtSecret, jwtRefreshSecret, apiKey } = JSON.parse(readFileSync(path, 'utf8')) as DevelopmentSecrets;
    if (!jwtSecret || !jwtRefreshSecret || !apiKey) throw new SyntaxError('a secret is missing');
    return { jwtSecret, jwtRefreshSecret, apiKey };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Makes secrets, unless another process, which starts at the same time, is faster. */
function create(path: string): void {
  // Written to another file first: what lies under the name is complete.
  const partial = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(partial, `${JSON.stringify(newSecrets(), null, 2)}\n`, { mode: 0o600 });
    giveName(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
}

function newSecrets(): DevelopmentSecrets {
  return {
    jwtSecret: randomBytes(48).toString('base64url'),
    jwtRefreshSecret: randomBytes(48).toString('base64url'),
    apiKey: `dev_${randomBytes(24).toString('base64url')}`,
  };
}

/** Unlike a new name, a link never replaces a file. Some file systems have no links: there, the last of two processes wins. */
function giveName(partial: string, path: string): void {
  try {
    linkSync(partial, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') renameSync(partial, path);
  }
}
