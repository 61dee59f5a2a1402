import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './config-error.js';
const FILE = 'development-secrets.json';
/**
 * Reads the secrets of a development machine, or makes them on its first start, so that sessions survive a restart.
 * @throws ConfigError when the directory cannot be used or the file is damaged.
 */
export function developmentSecrets(directory) {
    const path = join(directory, FILE);
    try {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        return read(path) ?? create(path);
    }
    catch (error) {
        const code = error.code;
        throw new ConfigError([code ? `DATA_DIR: ${directory} cannot be used (${code})` : `DATA_DIR: ${path} is damaged`]);
    }
}
function read(path) {
    try {
        const { jwtSecret, jwtRefreshSecret, apiKey } = JSON.parse(readFileSync(path, 'utf8'));
        if (!jwtSecret || !jwtRefreshSecret || !apiKey)
            throw new SyntaxError('a secret is missing');
        return { jwtSecret, jwtRefreshSecret, apiKey };
    }
    catch (error) {
        if (error.code === 'ENOENT')
            return null;
        throw error;
    }
}
function create(path) {
    const secrets = {
        jwtSecret: randomBytes(48).toString('base64url'),
        jwtRefreshSecret: randomBytes(48).toString('base64url'),
        apiKey: `dev_${randomBytes(24).toString('base64url')}`,
    };
    // Written beside and moved: a process killed in between leaves no half file, which the next start would refuse.
    const partial = `${path}.${process.pid}`;
    writeFileSync(partial, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
    renameSync(partial, path);
    return secrets;
}
//# sourceMappingURL=development-secrets.js.map