/** Turns measurements into figures for people. */

const WARM_UP_ROUNDS = 3;

/**
 * Measures several things in turns, so that whatever else the machine does meets all of them, and in another order each time: what
 * one leaves behind (a Redis at work, say) was 5 % for whichever always came next. The first rounds warm up: the engine still
 * compiles after thousands of requests.
 * @returns the outcomes of each
 */
export async function interleave(rounds, things, measure) {
  const outcomes = Object.fromEntries(Object.keys(things).map((name) => [name, []]));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    for (const [name, thing] of shuffled(Object.entries(things))) {
      const outcome = await measure(thing);
      if (round >= 0) outcomes[name].push(outcome);
    }
  }
  return outcomes;
}

export function shuffled(list) {
  return list
    .map((one) => ({ one, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ one }) => one);
}

export function median(outcomes, field) {
  const sorted = outcomes.map((outcome) => outcome[field]).toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** How many times as many requests as `base` did in the same turn: the median of the turns, whose pairs met the same machine. */
export function pairedRatio(outcomes, base) {
  const pairs = outcomes.map(({ perSecond: figure }, i) => ({ pair: figure / base[i].perSecond }));
  return median(pairs, 'pair');
}

export const perSecond = (figure) => `${figure < 1000 ? figure.toFixed(1) : Math.round(figure).toLocaleString('en')}/s`;
export const milliseconds = (figure) => `${figure < 100 ? figure.toFixed(1) : Math.round(figure)} ms`;
export const ratio = (figure) => figure.toFixed(2);

export function markdownTable(header, rows) {
  const cells = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(header), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n');
}
