/** A value as the MaxMind DB specification writes it ("Output Data Section"). */
function field(value: unknown): Buffer {
  const head = (type: number, size: number) =>
    Buffer.concat([
      Buffer.from([((type > 7 ? 0 : type) << 5) | Math.min(size, 29)]),
      type > 7 ? Buffer.from([type - 7]) : Buffer.alloc(0),
      size < 29 ? Buffer.alloc(0) : Buffer.from([size - 29]),
    ]);
  if (typeof value === 'string') return Buffer.concat([head(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([head(11, value.length), ...value.map(field)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(8);
    if (!Number.isInteger(value)) return Buffer.concat([head(3, 8), (bytes.writeDoubleBE(value), bytes)]);
    bytes.writeUInt32BE(value, 4);
    return Buffer.concat([head(6, 4), bytes.subarray(4)]);
  }
  const entries = Object.entries(value as object);
  return Buffer.concat([head(7, entries.length), ...entries.flatMap(([key, entry]) => [field(key), field(entry)])]);
}

/** A database in MaxMind's layout, which has one answer for every IPv4 address: a tree of one node. */
export function cityDatabaseOf(answer: object): Buffer {
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 0,
    database_type: 'City',
    description: {},
    ip_version: 4,
    languages: ['en'],
    node_count: 1,
    record_size: 24,
  };
  const gap = 16;
  const [left, right] = [1 + gap, 1 + gap];
  return Buffer.concat([
    Buffer.from([0, 0, left, 0, 0, right]),
    Buffer.alloc(gap),
    field(answer),
    Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'),
    field(metadata),
  ]);
}
