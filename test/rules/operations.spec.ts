import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.js';

const OPERATIONS = resolve(import.meta.dirname, '../../docs/operations');

/** Made by Prometheus itself for each scrape. */
const OF_PROMETHEUS = ['up'];

const alerts = readFileSync(resolve(OPERATIONS, 'alerts.yml'), 'utf8');
const alertExpressions = [...alerts.matchAll(/^ +expr: (.+)$/gm)].map((match) => match[1] as string);

interface Dashboard {
  panels: { title: string; targets?: { expr: string }[] }[];
  templating: { list: { query: string | { query: string } }[] };
}
const dashboard = JSON.parse(readFileSync(resolve(OPERATIONS, 'grafana-dashboard.json'), 'utf8')) as Dashboard;
const dashboardExpressions = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.templating.list.flatMap(({ query }) => (typeof query === 'string' ? [] : [query.query])),
];

/** Every name in an expression of PromQL that is no label, function, keyword or number. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replace(/label_values\((\w+), \w+\)/g, '$1')
    .replace(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, ' ')
    .replace(/\b(?:by|without|on|ignoring) *\([^)]*\)/g, ' ')
    .replace(/\b\w+ *\(/g, '(')
    .replace(/\b(?:sum|min|max|avg|count|and|or|unless)\b/g, ' ');
  return [...bare.matchAll(/[a-zA-Z_]\w*/g)].map(([name]) => name);
}

/** Label and value of each matcher that names values outright. */
function labelValuesIn(expression: string): { metric: string; label: string; values: string[] }[] {
  return [...expression.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, metric, matchers]) =>
    [...(matchers as string).matchAll(/(\w+)=~?"([\w|]+)"/g)].map(([, label, values]) => ({
      metric: metric as string,
      label: label as string,
      values: (values as string).split('|'),
    })),
  );
}

describe('What operators are given', () => {
  let test: TestApp;
  let text: string;
  let served: Set<string>;
  beforeAll(async () => {
    test = await startTestApp();
    text = (await test.client().get('/metrics')).text;
    served = new Set(OF_PROMETHEUS);
    for (const [, name, type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      for (const suffix of suffixes) served.add(name + suffix);
    }
  });
  afterAll(() => test.close());

  it('reads every expression there is', () => {
    expect(alertExpressions.length).toBe(alerts.match(/- alert: /g)?.length);
    expect(alertExpressions.length).toBeGreaterThan(10);
    expect(dashboardExpressions.length).toBeGreaterThan(20);
    for (const expression of [...alertExpressions, ...dashboardExpressions]) {
      expect(metricsIn(expression).length, expression).toBeGreaterThan(0);
    }
  });

  for (const [file, expressions] of [
    ['alerts.yml', alertExpressions],
    ['grafana-dashboard.json', dashboardExpressions],
  ] as const) {
    it(`names in ${file} only metrics that the service has, and values that their labels take`, () => {
      const unknown = expressions.flatMap(metricsIn).filter((name) => !served.has(name));
      expect(unknown).toEqual([]);
      const never = expressions
        .flatMap(labelValuesIn)
        .filter(({ label }) => ['outcome', 'kind', 'result', 'limit'].includes(label))
        .flatMap(({ metric, label, values }) => values.map((value) => `${metric}{${label}="${value}"}`))
        .filter((series) => !text.includes(`\n${series} `));
      expect(never).toEqual([]);
    });
  }

  it('follows the conventions of Prometheus in its names', () => {
    for (const [, name, type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      expect(name).toMatch(/^[a-z][a-z0-9_]+$/);
      expect(name?.endsWith('_total'), name).toBe(type === 'counter');
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
      expect(text).toMatch(new RegExp(`^# HELP ${name} .{10}`, 'm'));
    }
  });
});
