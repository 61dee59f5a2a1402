/** The value of each series by its name and labels, as Prometheus reads it. */
export function seriesOf(text: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => /^(.*) (\S+)$/.exec(line)!.slice(1)).map(([k, v]) => [k, Number(v)]));
}
