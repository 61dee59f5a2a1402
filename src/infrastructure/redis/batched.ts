import DataLoader from 'dataloader';

/** Redis does nothing else while a script runs: one over so many keys takes less than a millisecond. */
const MAX_BATCH_SIZE = 250;

/**
 * Collects all questions asked in one turn of the event loop into one command, since sending a command costs this process as
 * much as everything in it.
 * @param askAll returns the answers in the order of the questions; if it fails, all questions fail
 */
export function batched<Question, Answer>(
  askAll: (questions: readonly Question[]) => Promise<Answer[]>,
): (question: Question) => Promise<Answer> {
  const loader = new DataLoader(askAll, {
    cache: false,
    maxBatchSize: MAX_BATCH_SIZE,
    batchScheduleFn: (send) => setImmediate(send),
  });
  return (question) => loader.load(question);
}
