import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ALERTS = resolve(import.meta.dirname, '../../docs/operations/alerts.yml');
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/** Series and their values, a minute apart, as promtool writes them: `1x3` is four times 1, `0+2x3` is 0 2 4 6. */
type Series = Record<string, string>;

interface Case {
  fires: Series;
  /** What comes close, and is no reason to wake anybody. */
  stays: Series[];
  /** Minutes after the start; by default 20. */
  at?: number;
}

const requests = (status: string, values: string, route = '/auth/login'): Series => ({
  [`http_request_duration_seconds_count{job="accounts",route="${route}",status="${status}"}`]: values,
});
const durations = (within1s: string): Series =>
  Object.fromEntries(
    Object.entries({ '1': within1s, '2.5': '0+1000x30', '+Inf': '0+1000x30' }).map(([le, values]) => [
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
  AccountsDown: {
    fires: onTwo('up', ['1x20', '1x10 0x10']),
    stays: [one('up', '1x18 0 1')],
  },
  AccountsGone: { fires: { 'up{job="another"}': '1x20' }, stays: [one('up', '0x20')] },
  AccountsProcessMissing: {
    fires: { ...one('cluster_processes', '1x20'), ...one('cluster_workers', '2x20') },
    stays: [{ ...one('cluster_processes', '2x20'), ...one('cluster_workers', '2x20') }],
  },
  AccountsRestarting: {
    fires: one('process_start_time_seconds', '1x14 2 3 4 5 6', ',instance="a"'),
    stays: [
      one('process_start_time_seconds', '1x14 2 2 3 3 4', ',instance="a"'),
      // Of a cluster it is the newest process that tells.
      {
        ...one('process_start_time_seconds', '1x14 2 3 4 5 6', ',instance="a"'),
        ...one('cluster_workers', '2x20', ',instance="a"'),
      },
    ],
  },
  AccountsDatabaseDown: { fires: onTwo('database_up', ['1x20', '0x20']), stays: [one('database_up', '1x18 0 1')] },
  // Without Redis the metric is not there.
  AccountsRedisDown: { fires: onTwo('redis_up', ['1x20', '0x20']), stays: [one('redis_up', '1x16 0x3'), {}] },
  AccountsFailing: {
    fires: { ...requests('503', '0+10x20'), ...requests('200', '0+500x20') },
    stays: [
      { ...requests('503', '0+10x20'), ...requests('200', '0+5000x20') },
      { ...requests('503', '0+1x20'), ...requests('200', '0+1x20') },
      { ...requests('503', '0+10x20', '/health/ready'), ...requests('200', '0+10x20') },
    ],
  },
  AccountsGivenUp: {
    fires: { ...requests('499', '0+10x20'), ...requests('200', '0+50x20') },
    stays: [{ ...requests('499', '0+10x20'), ...requests('200', '0+500x20') }],
  },
  AccountsSlow: { fires: durations('0+900x30'), stays: [durations('0+1000x30')] },
  AccountsEventLoopBlocked: {
    fires: one('nodejs_eventloop_lag_p99_seconds', '0.3x20'),
    stays: [one('nodejs_eventloop_lag_p99_seconds', '0.1x20')],
  },
  AccountsHashQueueFull: {
    fires: one('password_hashes_refused_total', '0+60x20'),
    stays: [one('password_hashes_refused_total', '0x10 100x10')],
  },
  AccountsGuessing: {
    fires: logins('0+120x40', '0+6x40'),
    stays: [logins('0+120x40', '0+60x40'), logins('0+6x40', '0x40')],
    at: 40,
  },
  AccountsLimiterBusy: {
    fires: one('rate_limit_refusals_total', '0+600x40', ',limit="general"'),
    stays: [one('rate_limit_refusals_total', '0+60x40', ',limit="general"')],
    at: 40,
  },
  AccountsTokenReuse: {
    fires: one('security_events_total', '0x10 9x10', ',kind="authn_token_reuse"'),
    stays: [one('security_events_total', '0x10 3x10', ',kind="authn_token_reuse"')],
  },
  AccountsLockdowns: {
    fires: one('security_events_total', '0x10 9x10', ',kind="authn_lockdown"'),
    stays: [one('security_events_total', '0x10 9x10', ',kind="authn_token_reuse"')],
  },
  AccountsMailsStuck: { fires: onTwo('mails_stuck', ['2x20', '2x20']), stays: [one('mails_stuck', '0x20')] },
  AccountsMailsLost: {
    fires: one('mail_attempts_total', '0x10 9x10', ',outcome="refused"'),
    stays: [one('mail_attempts_total', '0x10 9x10', ',outcome="postponed"')],
  },
  AccountsProxyNotNamed: {
    fires: onTwo('untrusted_proxy_suspected', ['0x20', '1x20']),
    stays: [one('untrusted_proxy_suspected', '0x20')],
  },
};

function testsOf([name, { fires, stays, at = 20 }]: [string, Case]): object[] {
  return [fires, ...stays].map((series, i) => ({
    name: `${name} ${i === 0 ? 'fires' : `stays ${i}`}`,
    interval: '1m',
    input_series: Object.entries(series).map(([of, values]) => ({ series: of, values })),
    promql_expr_test: [
      {
        expr: `(count(ALERTS{alertname="${name}",alertstate="firing"}) or vector(0)) > bool 0`,
        eval_time: `${at}m`,
        exp_samples: [{ labels: '{}', value: i === 0 ? 1 : 0 }],
      },
    ],
  }));
}

describe('Alerts', () => {
  it('each have a case that makes them fire', () => {
    const named = [...readFileSync(ALERTS, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    expect(Object.keys(CASES)).toEqual(named);
  });

  it.skipIf(!hasPromtool)('fire when they should, and stay silent when it only comes close (by promtool)', () => {
    const directory = mkdtempSync(join(tmpdir(), 'alerts-'));
    // JSON is YAML.
    const file = join(directory, 'tests.yml');
    const tests = Object.entries(CASES).flatMap(testsOf);
    writeFileSync(file, JSON.stringify({ rule_files: [ALERTS], evaluation_interval: '1m', tests }));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
    rmSync(directory, { recursive: true });
    expect(`${stdout}${stderr}`).not.toContain('FAILED');
    expect(status).toBe(0);
  });
});
