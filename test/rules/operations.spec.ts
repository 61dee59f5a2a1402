import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECURITY_EVENT_KINDS } from '../../src/security/events/security-event-kinds.js';
import { until } from '../support/bounded.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const OPERATIONS = resolve(import.meta.dirname, '../../docs/operations');

/** Made by Prometheus itself for each scrape, and put by it to each series. */
const OF_PROMETHEUS = { metrics: ['up'], labels: ['job', 'instance'] };
/** Of `start:cluster` alone; that it serves them is shown by test/process/cluster. */
const OF_CLUSTERS = ['cluster_processes', 'cluster_workers'];
/** No ordinary traffic brings it about. */
const FAILURES = '5..';

const alerts = readFileSync(resolve(OPERATIONS, 'alerts.yml'), 'utf8');
const alertExpressions = [...alerts.matchAll(/^ +expr: (.+)$/gm)].map((match) => match[1] as string);

interface Dashboard {
  panels: { title: string; targets?: { expr: string; legendFormat: string }[] }[];
  templating: { list: { query: string | { query: string } }[] };
}
const dashboard = JSON.parse(readFileSync(resolve(OPERATIONS, 'grafana-dashboard.json'), 'utf8')) as Dashboard;
const targets = dashboard.panels.flatMap(({ targets = [] }) => targets);
const dashboardExpressions = [
  ...targets.map(({ expr }) => expr),
  ...dashboard.templating.list.flatMap(({ query }) => (typeof query === 'string' ? [] : [query.query])),
];

interface Selector {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
}

/** Every metric that an expression of PromQL names, with its braces: what is no function, keyword or label. */
function selectorsIn(expression: string): Selector[] {
  const bare = expression
    .replace(/label_values\((.*), \w+\)/, '$1')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without|on|ignoring) *\([^)]*\)/g, '');
  return [...bare.matchAll(/\b(?!and\b|or\b|unless\b)([a-zA-Z_]\w*)\b(?! *\()(?:\{([^}]*)\})?/g)].map(
    ([, metric, braces = '']) => ({
      metric: metric as string,
      matchers: [...braces.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(([, label, operator, value]) => ({
        label: label as string,
        operator: operator as string,
        value: value as string,
      })),
    }),
  );
}

function groupingsIn(expression: string): string[] {
  return [...expression.matchAll(/\bby *\(([^)]*)\)/g)].flatMap(([, labels]) => (labels as string).split(/ *, */));
}

/** Somebody registers, logs in, mistypes, stays logged in, reads the profile, tries too often, gives up waiting. */
async function ordinaryTraffic(test: TestApp): Promise<void> {
  const { client, api, registration, refresh_token } = await test.personas.user();
  await client.post('/auth/login', { login: registration.username, password: 'Wrong-pass1' });
  await client.post('/auth/refresh-token', { refresh_token });
  await api.get('/api/profile');
  for (let i = 0; i < 6; i += 1) await client.post('/auth/login', {});
  await client.get('/health/live');
  await fetch(`${test.url}/dev/inbox/next?to=a@example.com`, { signal: AbortSignal.timeout(200) }).catch(
    () => undefined,
  );
  await until(async () => (await client.get('/metrics')).text.includes('status="499"'));
}

describe('What operators are given', () => {
  let test: TestApp;
  let text: string;
  /** The labels of each series, by its name. */
  const served = new Map<string, Record<string, string>[]>();
  beforeAll(async () => {
    test = await startTestApp({ redis: true });
    await ordinaryTraffic(test);
    text = (await test.client().get('/metrics')).text;
    for (const [, name, braces = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
      const labels = Object.fromEntries([...braces.matchAll(/(\w+)="([^"]*)"/g)].map(([, ...pair]) => pair));
      served.set(name as string, [...(served.get(name as string) ?? []), labels as Record<string, string>]);
    }
    for (const metric of OF_CLUSTERS) served.set(metric, [{}]);
    // Without Redis it is only announced.
    if (!test.config.redis.url && text.includes('# TYPE redis_up gauge')) served.set('redis_up', [{}]);
  });
  afterAll(() => test.close());

  it('reads every expression there is', () => {
    expect(alertExpressions.length).toBe(alerts.match(/- alert: /g)?.length);
    expect(alertExpressions.length).toBeGreaterThan(10);
    expect(dashboardExpressions.length).toBeGreaterThan(20);
    for (const expression of [...alertExpressions, ...dashboardExpressions]) {
      expect(selectorsIn(expression).length, expression).toBeGreaterThan(0);
    }
  });

  for (const [file, expressions] of [
    ['alerts.yml', alertExpressions],
    ['grafana-dashboard.json', dashboardExpressions],
  ] as const) {
    const selectors = expressions.flatMap(selectorsIn);
    const ofService = selectors.filter(({ metric }) => !OF_PROMETHEUS.metrics.includes(metric));

    it(`names in ${file} only metrics that ordinary traffic yields`, () => {
      expect(ofService.map(({ metric }) => metric).filter((metric) => !served.has(metric))).toEqual([]);
    });

    it(`names in ${file} only labels that these metrics have, and values that they take`, () => {
      const missing = ofService.flatMap(({ metric, matchers }) =>
        matchers
          .filter(({ label }) => !OF_PROMETHEUS.labels.includes(label))
          .flatMap(({ label, value }) => value.split('|').map((pattern) => ({ metric, label, pattern })))
          .filter(({ pattern }) => pattern !== FAILURES)
          .filter(({ label, pattern }) => {
            const value = new RegExp(`^(?:${pattern})$`);
            return !served.get(metric)?.some((labels) => value.test(labels[label] ?? ''));
          }),
      );
      expect(missing).toEqual([]);
    });

    it(`groups in ${file} by labels that the metrics have`, () => {
      for (const expression of expressions) {
        const labels = groupingsIn(expression);
        const series = selectorsIn(expression).flatMap(({ metric }) => served.get(metric) ?? []);
        for (const label of labels)
          expect(
            series.filter((each) => !(label in each)),
            expression,
          ).toEqual([]);
      }
    });

    it(`asks in ${file} the account service alone: others have metrics of the same names`, () => {
      const isOurs = ({ label, operator, value }: Selector['matchers'][number]) =>
        label === 'job' && operator === '=' && value === 'accounts';
      expect(selectors.filter(({ matchers }) => !matchers.some(isOurs))).toEqual([]);
    });
  }

  it('names in the legends of the dashboard only labels that are left', () => {
    for (const { expr, legendFormat } of targets) {
      const left = groupingsIn(expr).length > 0 ? groupingsIn(expr) : OF_PROMETHEUS.labels;
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(left, expr).toContain(label);
    }
  });

  it('follows the conventions of Prometheus in its names', () => {
    for (const [, name, type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      expect(name).toMatch(/^[a-z][a-z0-9_]+$/);
      expect(name?.endsWith('_total'), name).toBe(type === 'counter');
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
      expect(text).toMatch(new RegExp(`^# HELP ${name} .{10}`, 'm'));
    }
  });

  it('counts the indexes that the collections have', () => {
    const scale = readFileSync(resolve(OPERATIONS, '../scale.md'), 'utf8');
    const rows = [...scale.matchAll(/^\| `(\w+)` \|[^|]*\|[^|]*\| (\d[^|]*)\|/gm)];
    const told = Object.fromEntries(
      rows.map(([, name, text]) => [name, (text as string).match(/\d+/g)?.reduce((sum, n) => sum + Number(n), 0)]),
    );
    expect(rows.length).toBeGreaterThan(5);
    const made = Object.values(test.database.models)
      .map(({ collection, schema }) => [collection.name, schema.indexes().length] as const)
      .filter(([name]) => name in told);
    expect(told).toEqual(Object.fromEntries(made));
  });
});

describe('The page about logs', () => {
  it('explains every security event, and none besides', () => {
    const page = readFileSync(resolve(OPERATIONS, 'logs.md'), 'utf8');
    const rows = page.slice(page.indexOf('| `kind` |')).split('\n\n')[0]?.split('\n').slice(2) as string[];
    const explained = rows.flatMap((row) =>
      [...(row.split('|')[1] as string).matchAll(/`(\w+)`/g)].map(([, kind]) => kind),
    );
    expect(explained.toSorted()).toEqual(SECURITY_EVENT_KINDS.toSorted());
  });
});
