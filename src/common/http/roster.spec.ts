import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type Place, Roster } from './roster.js';

describe('A roster', () => {
  it('has what came and has not gone, in the order of its coming', () => {
    const roster = new Roster<number>();
    const places = Array.from({ length: 200 }, (_, i) => roster.add(i));
    for (const [i, place] of places.entries()) if (i % 3 > 0) roster.remove(place);
    expect(roster.present()).toEqual(Array.from({ length: 67 }, (_, i) => 3 * i));
    roster.add(1_000);
    expect(roster.present().at(-1)).toBe(1_000);
  });

  it('lets one go once', () => {
    const roster = new Roster<string>();
    const place = roster.add('a');
    roster.add('b');
    for (let time = 0; time < 100; time += 1) roster.remove(place);
    expect(roster.present()).toEqual(['b']);
  });

  it('keeps nothing of those who have gone, however many have come since the last full collection', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
    const roster = new Roster<{ load: number[] }>();
    const here: Place<{ load: number[] }>[] = [];
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let round = 0; round < 200; round += 1) {
      for (let i = 0; i < 50; i += 1) {
        here.push(roster.add({ load: Array.from({ length: 500 }, () => i) }));
        if (here.length > 32) roster.remove(here.shift() as Place<{ load: number[] }>);
      }
      collect({ type: 'minor' });
    }
    // 40 MB have come.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(8_000_000);
  });
});
