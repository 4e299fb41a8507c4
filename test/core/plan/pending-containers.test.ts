import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plan } from '../../../src/core/plan/plan.ts';
import { allow, at, input, know, looked, ours, see, settle, vpc, want } from './fixture.ts';
import { summary } from './summary.ts';

const network = want('network', 'core', vpc());
const standing = ours('network', 'core', 'vpc-1', vpc());
const attributes = { network: at('network', 'core'), labels: {} };
const group = want('group', 'core.web', attributes);
const wanted = want(
  'firewall-rule',
  'core.web ingress tcp 443 10.0.0.0/8',
  allow(group.address, '443', ['10.0.0.0/8']),
  { deletionPolicy: 'delete' },
);
/** `from`: as a listing of rules says it that could not see their group. */
const atom = (ports: string, from: string) =>
  see(
    'firewall-rule',
    `sg-1 ${ports}`,
    { ...allow('sg-1', ports, ['10.0.0.0/8']), network: from },
    { signs: { container: 'sg-1' } },
  );

/** The group is settled, and too young for the listing that missed it to prove anything. */
const knowledge = know([standing], {
  settled: new Map([
    ['vpc-1', settle('network', at('network', 'core'))],
    ['sg-1', settle('group', group.address)],
  ]),
  applied: new Map([[group.address, { attributes, generation: 1 }]]),
});

const planOf = (pending: readonly string[], additive: readonly string[] = []) => {
  const given = input([network, group, wanted], looked([standing, atom('443', ''), atom('22', '')], { pending }), {
    knowledge,
  });
  return summary(plan({ ...given, wanted: { ...given.wanted, additive: new Set(additive) } }));
};

const name = (ports: string) => `firewall-rule/core.web ingress tcp ${ports} 10.0.0.0/8`;

describe('rules in a container that is pending', () => {
  it('are judged as ever: nobody wrote this one, and the other stands as it is wanted', () => {
    assert.deepEqual(planOf(['sg-1']), [`delete ${name('22')} (rogue)`, 'blocked group/core.web: pending']);
  });

  it('stay in a network that is additive, which the store names where the listing could not', () => {
    assert.deepEqual(planOf(['sg-1'], [network.address]), ['blocked group/core.web: pending', 'unmanaged sg-1 22']);
  });
});
