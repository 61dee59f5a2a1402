import { describe, expect, it } from 'vitest';
import { FairQueue } from './fair-queue.js';

describe('A fair queue', () => {
  const queueOf = (room: number, ...turns: string[]) => {
    const queue = new FairQueue<string>(room);
    const gaveWay = turns.map((turn) => queue.add(turn.slice(0, 1), turn)).filter((turn) => turn !== undefined);
    return { queue, gaveWay };
  };
  const emptied = (queue: FairQueue<string>) => {
    const order: string[] = [];
    for (let turn = queue.next(); turn !== undefined; turn = queue.next()) order.push(turn);
    return order;
  };

  it('serves one origin in order', () => {
    const { queue, gaveWay } = queueOf(9, 'a1', 'a2', 'a3');
    expect(queue.size).toBe(3);
    expect(gaveWay).toEqual([]);
    expect(emptied(queue)).toEqual(['a1', 'a2', 'a3']);
    expect(queue.size).toBe(0);
  });

  it('lets origins take turns, however many each has', () => {
    const { queue } = queueOf(9, 'a1', 'a2', 'a3', 'b1', 'c1', 'c2');
    expect(emptied(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  it('puts an origin that comes anew behind those that wait', () => {
    const { queue } = queueOf(9, 'a1', 'b1', 'b2');
    expect(queue.next()).toBe('a1');
    queue.add('a', 'a2');
    expect(emptied(queue)).toEqual(['b1', 'a2', 'b2']);
  });

  it('has room for a newcomer at the cost of the origin that has most', () => {
    const { queue, gaveWay } = queueOf(4, 'a1', 'b1', 'b2', 'b3', 'c1', 'a2');
    expect(gaveWay).toEqual(['b3', 'a2']);
    expect(emptied(queue)).toEqual(['a1', 'b1', 'c1', 'b2']);
  });

  it('turns away a newcomer where nobody has more', () => {
    const { queue, gaveWay } = queueOf(2, 'a1', 'b1', 'c1', 'a2');
    expect(gaveWay).toEqual(['c1', 'a2']);
    expect(queue.size).toBe(2);
    expect(emptied(queue)).toEqual(['a1', 'b1']);
  });

  it('goes on past an origin whose only one was turned away', () => {
    const { queue } = queueOf(2, 'a1', 'b1', 'c1');
    expect(queue.next()).toBe('a1');
    queue.add('d', 'd1');
    expect(emptied(queue)).toEqual(['b1', 'd1']);
    expect(queue.size).toBe(0);
  });
});
