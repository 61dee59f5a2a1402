import DataLoader from 'dataloader';

/** A script over so many keys is done in less than a millisecond, in which Redis does nothing else. */
const MAX_BATCH_SIZE = 250;

/**
 * Has what the requests of one turn of the event loop ask for asked in one command: a command costs this process as much as
 * all that it asks for.
 * @param askAll yields the answers in the order of the questions; where it fails, everybody's question has failed
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
