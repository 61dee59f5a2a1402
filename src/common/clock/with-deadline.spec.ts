import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { LateError, withDeadline } from './with-deadline.js';

const stall = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

describe('A deadline', () => {
  it('yields what comes in time, value or error', async () => {
    expect(await withDeadline(Promise.resolve(1), 1_000)).toBe(1);
    await expect(withDeadline(Promise.reject(new Error('own')), 1_000)).rejects.toThrow('own');
  });

  it('is an error of its own when it passes', async () => {
    await expect(withDeadline(new Promise(() => undefined), 5)).rejects.toThrow(LateError);
  });

  it('waits on while it is told that the answer may still come, and no longer', async () => {
    let looks = 0;
    const late = new Promise<string>((resolve) => setTimeout(resolve, 200, 'late'));
    expect(await withDeadline(late, 5, () => (looks += 1) > 0)).toBe('late');
    expect(looks).toBeGreaterThan(1);
    looks = 0;
    await expect(withDeadline(new Promise(() => undefined), 5, () => (looks += 1) < 3)).rejects.toThrow(LateError);
    expect(looks).toBe(3);
  });

  it('takes no answer for late that came while the process itself stood still', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sender = connect((server.address() as AddressInfo).port);
    const [receiver] = (await once(server, 'connection')) as [Socket];
    for (let round = 0; round < 20; round += 1) {
      const answer = withDeadline(once(receiver, 'data'), 5);
      sender.write('an answer');
      stall(20);
      expect(String(await answer)).toBe('an answer');
    }
    sender.destroy();
    server.close();
  });
});
