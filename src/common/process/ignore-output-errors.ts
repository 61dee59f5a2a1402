/** Lets the process go on where its output cannot be written, on a full disk or a terminal that is gone: lines are lost instead. */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
