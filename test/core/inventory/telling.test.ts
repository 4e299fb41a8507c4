import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { observableResources } from '../../../src/core/inventory/rows.ts';
import type { Gap } from '../../../src/core/observed.ts';
import { allow, at, input, looked, ours, see, vpc, want } from '../plan/fixture.ts';
import { rowed } from './rowed.ts';

const net = want('network', 'core', vpc());
const standing = ours('network', 'core', 'vpc-1', vpc());
const rule = see(
  'firewall-rule',
  'sgr-1',
  { ...allow('sg-1', '22', ['any']), network: 'vpc-1' },
  { signs: { container: 'sg-1' } },
);
const gapOf = (kind: Gap['kind']): Gap => ({ kind, code: 'Throttled', reason: 'page 2 failed' });

function told(given: ReturnType<typeof input>) {
  const { rows, gaps } = observableResources(rowed(given), given.observation);
  return { rows: rows.map(({ key }) => key), gaps: gaps.map(({ kind }) => kind) };
}

describe('what a look can tell of', () => {
  it('all of it where everything was listed', () => {
    assert.deepEqual(told(input([net], looked([standing]))), { rows: [at('network', 'core')], gaps: [] });
  });

  it('what is wanted, of a kind that was not listed too', () => {
    const given = input([net], looked([], { gaps: [gapOf('network')] }));
    assert.deepEqual(told(given), { rows: [at('network', 'core')], gaps: ['network'] });
  });

  it('nothing of rules whose group was not listed', () => {
    assert.deepEqual(told(input([], looked([rule], { gaps: [gapOf('group')] }))), {
      rows: [],
      gaps: ['group', 'firewall-rule'],
    });
  });

  it('of rules whose group was seen, though another kind was not', () => {
    const group = see('group', 'sg-1', { network: 'vpc-1', labels: {} });
    const given = input([], looked([group, rule], { gaps: [gapOf('instance')] }));
    assert.deepEqual(told(given), { rows: ['group sg-1', 'firewall-rule sgr-1'], gaps: ['instance'] });
  });
});
