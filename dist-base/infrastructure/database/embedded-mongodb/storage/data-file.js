import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
const MAGIC = 0xbeefc0de;
/** Where LMDB keeps its fields in each of the two meta pages. */
const OFFSET = { magic: 24, pageSize: 48, lastPage: 144, end: 160 };
/**
 * Looks at a data file before LMDB maps it into memory, where a foreign or cut file would end the process.
 * @throws Error when it is not a data file
 */
export function checkDataFile(path) {
    if (!existsSync(path))
        return;
    const file = openSync(path, 'r+');
    try {
        const { size } = fstatSync(file);
        // What a process leaves that died while it created the file.
        if (size === 0)
            return;
        const first = readMeta(file, 0);
        const second = readMeta(file, first.pageSize);
        // Pages that were never written may lie beyond the end, lost ones as well: as zeros they are an error LMDB reports.
        const needed = (Math.max(first.lastPage, second.lastPage) + 1) * first.pageSize;
        if (size < needed)
            ftruncateSync(file, needed);
    }
    finally {
        closeSync(file);
    }
}
function readMeta(file, position) {
    const page = Buffer.alloc(OFFSET.end);
    const length = readSync(file, page, 0, page.length, position);
    if (length < page.length || page.readUInt32LE(OFFSET.magic) !== MAGIC)
        throw new Error('it is not a data file');
    const pageSize = page.readUInt32LE(OFFSET.pageSize);
    const lastPage = Number(page.readBigUInt64LE(OFFSET.lastPage));
    if (![4096, 8192, 16384, 32768, 65536].includes(pageSize) || lastPage > 2 ** 36)
        throw new Error('its head is damaged');
    return { pageSize, lastPage };
}
//# sourceMappingURL=data-file.js.map