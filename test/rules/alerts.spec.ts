import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ALERTS = resolve(import.meta.dirname, '../../docs/operations/alerts.yml');
/** What to do when one fires. */
const RUNBOOK = resolve(import.meta.dirname, '../../docs/operations/alerts.md');
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/** Series and their values, a minute apart, as promtool writes them: `1x3` is four times 1, `0+2x3` is 0 2 4 6. */
type Series = Record<string, string>;

interface Case {
  /** What makes it fire, from the first minute on. */
  fires: Series;
  /** Something else that does, too. */
  alsoFires?: Series;
  /** How many minutes that has to last; none by default. */
  after?: number;
  /** What comes close to a threshold, or looks alike, and is no reason to wake anybody. */
  stays: Series[];
}

const requests = (status: string, values: string, route = '/auth/login'): Series => ({
  [`http_request_duration_seconds_count{job="accounts",route="${route}",status="${status}"}`]: values,
});
const durations = (within1s: string): Series =>
  Object.fromEntries(
    Object.entries({ '1': within1s, '2.5': '0+1000x40', '+Inf': '0+1000x40' }).map(([le, values]) => [
      `http_request_duration_seconds_bucket{job="accounts",route="/auth/login",status="200",le="${le}"}`,
      values,
    ]),
  );
const logins = (failed: string, succeeded: string): Series => ({
  'logins_total{job="accounts",outcome="invalid_credentials"}': failed,
  'logins_total{job="accounts",outcome="success"}': succeeded,
});
const one = (metric: string, values: string, label = ''): Series => ({ [`${metric}{job="accounts"${label}}`]: values });
const onTwo = (metric: string, [a, b]: [string, string]): Series => ({
  ...one(metric, a, ',instance="a"'),
  ...one(metric, b, ',instance="b"'),
});

const CASES: Record<string, Case> = {
  AccountsDown: { fires: onTwo('up', ['1x40', '0x40']), after: 1, stays: [one('up', '1x40')] },
  AccountsGone: { fires: { 'up{job="another"}': '1x40' }, after: 5, stays: [one('up', '0x40')] },
  AccountsProcessMissing: {
    fires: { ...one('cluster_processes', '1x40'), ...one('cluster_workers', '2x40') },
    after: 5,
    stays: [{ ...one('cluster_processes', '2x40'), ...one('cluster_workers', '2x40') }],
  },
  AccountsRestarting: {
    fires: one('process_start_time_seconds', '1x34 2 3 4 5 5 5', ',instance="a"'),
    stays: [
      one('process_start_time_seconds', '1x34 2 2 3 3 4 4', ',instance="a"'),
      // Of a cluster it is the newest process that tells.
      {
        ...one('process_start_time_seconds', '1x34 2 3 4 5 5 5', ',instance="a"'),
        ...one('cluster_workers', '2x40', ',instance="a"'),
      },
    ],
  },
  AccountsDatabaseDown: {
    fires: onTwo('database_up', ['1x40', '0x40']),
    after: 1,
    stays: [one('database_up', '1x40')],
  },
  // Without Redis the metric is not there.
  AccountsRedisDown: { fires: onTwo('redis_up', ['1x40', '0x40']), after: 5, stays: [one('redis_up', '1x40'), {}] },
  AccountsRedisFaltering: {
    fires: one('redis_fallbacks_total', '0+3x40'),
    after: 15,
    stays: [
      one('redis_fallbacks_total', '0+2x40'),
      one('redis_fallbacks_total', '0x5 10000x35'),
      // Of which AccountsRedisDown tells.
      { ...one('redis_fallbacks_total', '0+300x40'), ...one('redis_up', '0x40') },
    ],
  },
  AccountsFailing: {
    fires: { ...requests('503', '0+11x40'), ...requests('200', '0+1000x40') },
    after: 5,
    stays: [
      { ...requests('503', '0+10x40'), ...requests('200', '0+1000x40') },
      { ...requests('503', '0+2x40'), ...requests('200', '0+1x40') },
      { ...requests('503', '0+10x40', '/health/ready'), ...requests('200', '0+10x40') },
    ],
  },
  AccountsGivenUp: {
    fires: { ...requests('499', '0+11x40'), ...requests('200', '0+90x40') },
    after: 5,
    stays: [
      { ...requests('499', '0+10x40'), ...requests('200', '0+92x40') },
      { ...requests('499', '0+2x40'), ...requests('200', '0+1x40') },
    ],
  },
  AccountsSlow: { fires: durations('0+985x40'), after: 10, stays: [durations('0+991x40')] },
  AccountsEventLoopBlocked: {
    fires: one('nodejs_eventloop_lag_p99_seconds', '0.21x40'),
    after: 5,
    // A stall of seconds is one tick of hundreds: only the maximum has it.
    alsoFires: one('nodejs_eventloop_lag_max_seconds', '0.51x40'),
    stays: [
      one('nodejs_eventloop_lag_p99_seconds', '0.19x40'),
      one('nodejs_eventloop_lag_max_seconds', '0.01x36 2 0.01x2'),
    ],
  },
  AccountsLogLost: {
    fires: one('log_lines_lost_total', '0x38 1 1'),
    stays: [one('log_lines_lost_total', '7x40')],
  },
  AccountsFilesRunningOut: {
    fires: { ...onTwo('process_open_fds', ['100x40', '922x40']), ...onTwo('process_max_fds', ['1024x40', '1024x40']) },
    after: 2,
    stays: [
      { ...onTwo('process_open_fds', ['100x40', '921x40']), ...onTwo('process_max_fds', ['1024x40', '1024x40']) },
      // Of a system that does not tell how many it may have.
      one('process_open_fds', '9000x40'),
    ],
  },
  AccountsHashQueueFull: {
    fires: one('password_hashes_refused_total', '0+7x40'),
    after: 5,
    stays: [one('password_hashes_refused_total', '0+5x40')],
  },
  AccountsGuessing: {
    fires: logins('0+66x40', '0+15x40'),
    after: 15,
    stays: [logins('0+66x40', '0+18x40'), logins('0+54x40', '0x40')],
  },
  AccountsLimiterBusy: {
    fires: one('rate_limit_refusals_total', '0+330x40', ',limit="general"'),
    after: 15,
    stays: [one('rate_limit_refusals_total', '0+270x40', ',limit="general"')],
  },
  AccountsTokenReuse: {
    fires: one('security_events_total', '0x20 6x20', ',kind="authn_token_reuse"'),
    stays: [one('security_events_total', '0x20 5x20', ',kind="authn_token_reuse"')],
  },
  AccountsLockdowns: {
    fires: one('security_events_total', '0x20 6x20', ',kind="authn_lockdown"'),
    stays: [
      one('security_events_total', '0x20 5x20', ',kind="authn_lockdown"'),
      one('security_events_total', '0x20 9x20', ',kind="authn_token_reuse"'),
    ],
  },
  AccountsMailsStuck: { fires: onTwo('mails_stuck', ['1x40', '1x40']), after: 5, stays: [one('mails_stuck', '0x40')] },
  AccountsMailsLost: {
    fires: one('mail_attempts_total', '0x20 6x20', ',outcome="refused"'),
    stays: [
      one('mail_attempts_total', '0x20 5x20', ',outcome="refused"'),
      one('mail_attempts_total', '0x20 9x20', ',outcome="postponed"'),
    ],
  },
  AccountsProxyNotNamed: {
    fires: onTwo('untrusted_proxy_suspected', ['0x40', '1x40']),
    after: 5,
    stays: [one('untrusted_proxy_suspected', '0x40'), one('proxy_hides_clients_suspected', '1x40')],
  },
  AccountsClientsHidden: {
    fires: onTwo('proxy_hides_clients_suspected', ['0x40', '1x40']),
    after: 5,
    stays: [one('proxy_hides_clients_suspected', '0x40'), one('untrusted_proxy_suspected', '1x40')],
  },
};

const MINUTES = 40;

function testsOf([name, { fires, alsoFires, after = 0, stays }]: [string, Case]): object[] {
  const test = (what: string, series: Series, minute: number, firing: number) => ({
    name: `${name} ${what}`,
    interval: '1m',
    input_series: Object.entries(series).map(([of, values]) => ({ series: of, values })),
    promql_expr_test: [
      {
        expr: `(count(ALERTS{alertname="${name}",alertstate="firing"}) or vector(0)) > bool 0`,
        eval_time: `${minute}m`,
        exp_samples: [{ labels: '{}', value: firing }],
      },
    ],
  });
  return [
    test('fires', fires, MINUTES, 1),
    ...(alsoFires ? [test('also fires', alsoFires, MINUTES, 1)] : []),
    ...(after > 0 ? [test('is patient', fires, after - 1, 0)] : []),
    ...stays.map((series, i) => test(`stays ${i + 1}`, series, MINUTES, 0)),
  ];
}

describe('Alerts', () => {
  it('each have a case that makes them fire', () => {
    const named = [...readFileSync(ALERTS, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    expect(Object.keys(CASES)).toEqual(named);
  });

  it('each lead to what is to be done, and nothing else stands there', () => {
    const led = [...readFileSync(ALERTS, 'utf8').matchAll(/runbook_url: docs\/operations\/alerts\.md#(\w+)$/gm)];
    expect(led.map(([, anchor]) => anchor)).toEqual(Object.keys(CASES).map((name) => name.toLowerCase()));
    const headings = [...readFileSync(RUNBOOK, 'utf8').matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(Object.keys(CASES));
  });

  it.skipIf(!hasPromtool)(
    'fire when they should, not before their time, and not when it only comes close (by promtool)',
    () => {
      const directory = mkdtempSync(join(tmpdir(), 'alerts-'));
      // JSON is YAML.
      const file = join(directory, 'tests.yml');
      const tests = Object.entries(CASES).flatMap(testsOf);
      writeFileSync(file, JSON.stringify({ rule_files: [ALERTS], evaluation_interval: '1m', tests }));
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
      rmSync(directory, { recursive: true });
      expect(`${stdout}${stderr}`).not.toContain('FAILED');
      expect(status).toBe(0);
    },
  );
});
