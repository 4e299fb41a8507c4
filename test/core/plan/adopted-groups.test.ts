import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Desired, Terms } from '../../../src/core/desired.ts';
import { type KeptTerms, type Knowledge, withoutStore } from '../../../src/core/knowledge.ts';
import type { Observation, Observed } from '../../../src/core/observed.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import { allow, at, input, know, looked, ours, see, settle, vpc, want } from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

const [core, web] = [at('network', 'core'), at('group', 'core.web')];
const adopting: Partial<Terms> = { claim: { adopt: 'sg-9' } };
const attributes = { network: core, labels: {} };
const net = want('network', 'core', vpc());
const group = want('group', 'core.web', attributes, adopting);
const https = allow(web, '443', ['0.0.0.0/0']);
const stated = want('firewall-rule', 'core.web ingress tcp 443 0.0.0.0/0', https);

const vpc1 = ours('network', 'core', 'vpc-1', vpc());
const sg9 = ours('group', 'core.web', 'sg-9', { network: 'vpc-1', labels: {} });
const rule = (id: string, ports: string, peers = ['0.0.0.0/0']): Observed =>
  see('firewall-rule', id, { ...allow('sg-9', ports, peers), network: 'vpc-1' }, { signs: { container: 'sg-9' } });
const [known, ssh] = [rule('sgr-443', '443'), rule('sgr-22', '22', ['10.0.0.0/8'])];

interface Given {
  readonly desired?: readonly Desired[];
  readonly additive?: boolean;
  readonly terms?: Partial<KeptTerms>;
  readonly knowledge?: Partial<Knowledge>;
  readonly looked?: Partial<Observation>;
}

/** The network is ours, and the group as `terms` say. */
function given(rules: readonly Observed[], more: Given = {}): PlanInput {
  const { desired = [net, group, stated], additive = false, terms = { adopted: true } } = more;
  const settled = new Map([
    ['vpc-1', settle('network', core)],
    ['sg-9', settle('group', web, terms)],
  ]);
  const knowledge = know([], { settled, ...more.knowledge });
  const made = input(desired, looked([vpc1, sg9, ...rules], more.looked), { knowledge });
  return { ...made, wanted: { ...made.wanted, additive: new Set(additive ? [core] : []) } };
}

const made: Given = { desired: [net, want('group', 'core.web', attributes), stated], terms: {} };
const recorded: Partial<KeptTerms> = { adopted: true, authoritative: true };
const bare = see('group', 'sg-9', { network: 'vpc-1', labels: {} }, { name: 'web servers' });

const cases: readonly Case[] = [
  {
    name: 'an adopted group holds a rule that no document states: it stays, and the group is blocked',
    given: given([known, ssh]),
    want: ['blocked group/core.web: undeclared-rules', 'unmanaged sgr-22'],
  },
  {
    name: 'an adopted group holds many: the finding names five',
    given: given([known, ...[1, 2, 3, 4, 5, 6, 7].map((n) => rule(`sgr-${n}`, `${n}`))]),
    want: ['blocked group/core.web: undeclared-rules', ...[1, 2, 3, 4, 5, 6, 7].map((n) => `unmanaged sgr-${n}`)],
  },
  {
    name: 'an adopted group holds stated rules only: from now on others are drift',
    given: given([known]),
    want: ['update group/core.web'],
  },
  {
    name: 'the cloud spells a stated rule as two: they are stated',
    given: given([rule('sgr-443', '443'), rule('sgr-444', '444')], {
      desired: [
        net,
        group,
        want('firewall-rule', 'core.web ingress tcp 443-444 0.0.0.0/0', allow(web, '443-444', ['0.0.0.0/0'])),
      ],
    }),
    want: ['update group/core.web'],
  },
  { name: 'it is on record, and nothing is to be done', given: given([known], { terms: recorded }), want: [] },
  {
    name: 'it is on record, and somebody adds a rule: drift',
    given: given([known, ssh], { terms: recorded }),
    want: ['delete firewall-rule/core.web ingress tcp 22 10.0.0.0/8 (rogue)'],
  },
  {
    name: 'Setpoint made the group, and somebody adds a rule: drift',
    given: given([known, ssh], made),
    want: ['delete firewall-rule/core.web ingress tcp 22 10.0.0.0/8 (rogue)'],
  },
  {
    name: 'the network is additive: the rule stays',
    given: given([known, ssh], { additive: true }),
    want: ['unmanaged sgr-22'],
  },
  {
    name: 'the network becomes additive: the record ends',
    given: given([known, ssh], { additive: true, terms: recorded }),
    want: ['update group/core.web', 'unmanaged sgr-22'],
  },
  {
    name: 'a rule whose document is gone goes: it was stated once',
    given: given([known, ssh], {
      knowledge: {
        applied: new Map([
          [
            at('firewall-rule', 'core.web ingress tcp 22 10.0.0.0/8'),
            { attributes: allow(web, '22', ['10.0.0.0/8']), generation: 1, documents: [at('firewall-rule', 'ssh')] },
          ],
        ]),
      },
    }),
    want: ['update group/core.web', 'delete firewall-rule/core.web ingress tcp 22 10.0.0.0/8 (removed)'],
  },
  {
    name: 'the rules could not be listed: nothing is concluded',
    given: given([], {
      desired: [net, group],
      looked: { gaps: [{ kind: 'firewall-rule', code: 'Throttled', reason: 'too many requests' }] },
    }),
    want: ['incomplete firewall-rule: Throttled'],
  },
  {
    name: 'there is no store: a rule that no document states stays',
    given: { ...given([known, ssh]), knowledge: withoutStore('acme') },
    want: ['blocked group/core.web: undeclared-rules', 'unmanaged sgr-22'],
  },
];

runCases(cases, 'adopted-groups');

for (const [name, rules, want] of [
  ['holds stated rules only: the adoption notes it', [known], true],
  ['holds another rule: the adoption does not', [known, ssh], undefined],
] as const)
  test(`a group that is to be adopted ${name}`, () => {
    const made = given([], { knowledge: { settled: new Map([['vpc-1', settle('network', core)]]) } });
    const { actions, findings } = plan({ ...made, observation: looked([vpc1, bare, ...rules]) });
    const [adoption] = actions;
    assert.ok(adoption?.verb === 'adopt' && actions.length === 1);
    assert.equal(adoption.desired.terms.authoritative, want);
    assert.deepEqual(
      findings.map(({ type }) => type),
      want ? [] : ['unmanaged'],
    );
  });
