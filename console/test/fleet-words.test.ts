import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RateLimit, Scope } from '../src/api.d.ts';
import { byState, refillText, unitsText, waitText } from '../src/fleet/words.ts';

const limit = (more: Partial<RateLimit>): RateLimit => ({ key: 'a/b', remaining: 1, ...more });

describe('the words of the fleet', () => {
  const limits = [
    { of: { remaining: 0.5, units: 81, perSecond: 18 }, left: '40 of 81', refill: '18 per second' },
    { of: { remaining: 0, units: 5, perSecond: 0.5 }, left: '0 of 5', refill: '0.5 per second, the next unit in 2 s' },
    {
      of: { remaining: -0.4, units: 5, perSecond: 2 },
      left: '2 in debt, of 5',
      refill: '2 per second, the next unit in 2 s',
    },
    {
      of: { remaining: 0, units: 5, perSecond: 2, slowedUntil: '2027-01-01T00:00:00.000Z' },
      left: '0 of 5',
      refill: '2 per second at full speed',
    },
    { of: { remaining: 1, units: 20, perSecond: 0.005 }, left: '20 of 20', refill: '18 per hour' },
    { of: { remaining: 0.25, units: 90, windowSeconds: 60 }, left: '22 of 90', refill: 'within 60 s' },
    { of: { remaining: 0.25 }, left: '25 %', refill: 'Not known' },
  ];
  for (const { of, left, refill } of limits)
    it(`a rate limit with ${left}: ${refill}`, () =>
      assert.deepEqual([unitsText(limit(of)), refillText(limit(of))], [left, refill]));

  it('scopes that wait come first, then the ones that run, are held and idle, each by name', () => {
    const scope = (state: Scope['state'], name: string) => ({ state, scope: name }) as Scope;
    const all = [
      scope('idle', 'a'),
      scope('held', 'b'),
      scope('running', 'c'),
      scope('waiting', 'e'),
      scope('waiting', 'd'),
    ];
    assert.deepEqual(
      all.toSorted(byState).map((one) => one.scope),
      ['d', 'e', 'c', 'b', 'a'],
    );
  });

  const at = '2027-01-01T00:00:00.000Z';
  const waits: readonly (readonly [Scope['waitsFor'][number], RegExp])[] = [
    [{ type: 'quarantine', since: at, until: at, next: 'n' }, /quarantine Its reconciles failed .* n/],
    [{ type: 'lease', worker: 'apply@laptop', since: at }, /lease that apply@laptop holds/],
    [{ type: 'retry', failures: 1, since: at }, /after 1 failure It comes/],
    [{ type: 'worker', reason: 'eve: now' }, /free worker eve: now/],
    [{ type: 'rate-limit', key: 'aws/1/RunInstances', since: at }, /aws\/1\/RunInstances/],
    [
      {
        type: 'pause',
        mode: 'all',
        subject: { type: 'target', name: 'aws' },
        actor: 'eve',
        reason: 'why',
        since: at,
        until: at,
      },
      /All changes are paused for target aws by eve why/,
    ],
    [{ type: 'rollout', document: 'Instance web', reason: 'why', next: 'n' }, /rollout of Instance web why n/],
    [
      { type: 'withheld', target: 'aws', code: 'mode', failed: true, count: 2, reason: 'why', next: 'n' },
      /2 changes refused by the cloud on aws: mode why n/,
    ],
    [{ type: 'interval', until: at }, /next observation/],
  ];
  for (const [wait, want] of waits)
    it(`says what ${wait.type} waits for`, () => {
      const { text, reason, next } = waitText(wait);
      assert.match([text, reason, next].join(' '), want);
    });
});
