/** Loaded before the service: tells its parent how much of the heap is alive, in bytes. Needs --expose-gc. */
process.on('message', () => {
  globalThis.gc();
  // What was weakly held goes with the second.
  setTimeout(() => {
    globalThis.gc();
    process.send(process.memoryUsage());
  }, 100);
});
