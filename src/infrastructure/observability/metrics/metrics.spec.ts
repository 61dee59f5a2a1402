import { describe, expect, it } from 'vitest';
import { Metrics } from './metrics.js';

describe('Metrics', () => {
  it('are read once for however many ask at the same time, and anew for whoever asks later', async () => {
    const metrics = new Metrics();
    let reads = 0;
    metrics.gauge('reads', 'How often this was read', () => (reads += 1));
    await Promise.all(Array.from({ length: 20 }, () => metrics.render()));
    expect(reads).toBe(1);
    expect(await metrics.render()).toMatch(/^reads 2$/m);
  });

  it('leave out what cannot be read at this moment, and show it again afterwards', async () => {
    const metrics = new Metrics();
    const away = () => Promise.reject(new Error('away'));
    const broken = (): number => {
      throw new Error('broken');
    };
    const reads = [() => 1, () => null, away, broken, () => 2];
    metrics.gauge('there', 'A value', () => reads.shift()?.() ?? null);
    const shown: (string | undefined)[] = [];
    for (let i = 0; i < 5; i += 1) shown.push(/^there (\d)$/m.exec(await metrics.render())?.[1]);
    expect(shown).toEqual(['1', undefined, undefined, undefined, '2']);
  });
});
