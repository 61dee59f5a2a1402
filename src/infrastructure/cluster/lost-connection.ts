import cluster from 'node:cluster';

/**
 * Calls a listener when a connection that the primary process has handed to this one did not arrive, for want of a file descriptor.
 * Node's primary process waits for an answer to it for ever, and hands this process no other one: it serves nobody any more.
 * Only this message between Node's own processes tells of it.
 */
export function onLostConnection(listener: () => void): void {
  if (!cluster.isWorker) return;
  process.on('internalMessage', ({ cmd }: { cmd?: string }, connection: unknown) => {
    if (cmd === 'NODE_HANDLE' && !connection) listener();
  });
}
