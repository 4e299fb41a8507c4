import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Logged, makeRequestLog } from '../../sandbox/request-log.ts';

const entry = (time: number, more: Partial<Logged> = {}): Logged => ({
  time,
  service: 'ec2',
  account: '1',
  region: 'r',
  action: 'DescribeVpcs',
  params: {},
  mutating: false,
  status: 200,
  errorCode: undefined,
  requestId: 'x',
  applied: false,
  ...more,
});

describe('the request log', () => {
  it('holds the newest, counts all', () => {
    const log = makeRequestLog(3);
    for (let time = 1; time <= 8; time++) log.add(entry(time));
    assert.deepEqual(
      log.entries().map(({ time }) => time),
      [6, 7, 8],
    );
    assert.deepEqual(log.counts(), { DescribeVpcs: 8 });
  });

  it('shows each request to who watches, until they stop', () => {
    const log = makeRequestLog();
    const seen: number[] = [];
    const stop = log.watch(({ time }) => seen.push(time));
    log.add(entry(1));
    log.clear();
    log.add(entry(2));
    stop();
    log.add(entry(3));
    assert.deepEqual(seen, [1, 2]);
  });

  it('is asked by action, account, region, kind and error', () => {
    const log = makeRequestLog();
    log.add(entry(1));
    log.add(entry(2, { action: 'CreateVpc', mutating: true, errorCode: 'VpcLimitExceeded' }));
    log.add(entry(3, { account: '2', region: 's' }));
    const times = (query: Parameters<typeof log.entries>[0]) => log.entries(query).map(({ time }) => time);
    assert.deepEqual(
      [
        { action: 'CreateVpc' },
        { account: '2' },
        { region: 'r' },
        { mutating: false },
        { errorCode: 'VpcLimitExceeded' },
      ].map(times),
      [[2], [3], [1, 2], [1, 3], [2]],
    );
    log.clear();
    assert.deepEqual([log.entries(), log.counts()], [[], {}]);
  });
});
