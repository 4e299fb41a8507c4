import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding } from '../../../src/core/action.ts';
import { planDigest } from '../../../src/core/digest.ts';
import type { Knowledge } from '../../../src/core/knowledge.ts';
import type { HeardTouch } from '../../../src/core/last-modified.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { claim } from '../../../src/core/plan/claim.ts';
import { attribute, touchedBy } from '../../../src/core/plan/drift-authors.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import { worldOf } from '../../../src/core/plan/world.ts';
import { allow, dialect, input, know, looked, ours, see, vpc, want } from './fixture.ts';

const hour = 3_600_000;
const written = 100 * hour;
const now = 200 * hour;

const touch = (who: string, when = written + 1, heardAt = now): HeardTouch => ({
  by: { who, action: 'Act', event: `e-${who}`, at: when },
  heardAt,
});

const net = want('network', 'core', vpc());
const group = want('group', 'core.web', { network: net.address, labels: {} });
const standing = ours('network', 'core', 'vpc-1', vpc());
const moved = ours('network', 'core', 'vpc-1', vpc('10.0.0.0/16', { tier: 'old' }));
const standingGroup = ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} });
const atom = (ports: string) =>
  see('firewall-rule', `sg-1 ${ports}`, allow('sg-1', ports, ['10.0.0.0/8']), { signs: { container: 'sg-1' } });
const rule = want('firewall-rule', 'core.web ingress tcp 443 10.0.0.0/8', allow(group.address, '443', ['10.0.0.0/8']));
const labelled = { ...net, attributes: vpc('10.0.0.0/16', { tier: 'net' }) };

/** Everything that is wanted was applied so before, and was written at `written`. */
function given(
  desired: PlanInput['wanted']['desired'],
  seen: readonly Observed[],
  touches: Readonly<Record<string, HeardTouch>>,
  more: Partial<Knowledge> = {},
): PlanInput {
  const known = know(seen, more);
  const settled = new Map([...known.settled].map(([id, one]) => [id, { ...one, lastWriteAt: written }]));
  const applied = new Map(desired.map(({ address, attributes }) => [address, { attributes, generation: 1 }]));
  const knowledge = { ...known, settled, applied, touches: new Map(Object.entries(touches)) };
  return input(desired, looked(seen, { at: now }), { knowledge });
}

const settledRule = {
  settled: new Map([
    ['vpc-1', { ...know([standing]).settled.get('vpc-1'), address: net.address }],
    ['sg-1', { ...know([standingGroup]).settled.get('sg-1'), address: group.address }],
    ['sg-1 443', { ...know([standingGroup]).settled.get('sg-1'), kind: rule.kind, address: rule.address }],
  ]) as Knowledge['settled'], // why: each of these is there
};

/** `verb or type, who`, in the order of the plan. */
const named = (it: PlanInput): readonly string[] => {
  const { actions, findings } = plan(it);
  return [
    ...actions.map(({ verb, by }) => `${verb} ${by?.who ?? '-'}`),
    ...findings.map(({ type, by }) => `${type} ${by?.who ?? '-'}`),
  ];
};

const rows: readonly { readonly name: string; readonly it: PlanInput; readonly want: readonly string[] }[] = [
  {
    name: 'an update: who touched it since we wrote it',
    it: given([labelled], [moved], { 'vpc-1': touch('bob') }),
    want: ['update bob'],
  },
  {
    name: 'who touched it before we wrote it did not do this',
    it: given([labelled], [moved], { 'vpc-1': touch('bob', written - 1001) }),
    want: ['update -'],
  },
  {
    name: 'the second that a cloud cuts off is not held against him',
    it: given([labelled], [moved], { 'vpc-1': touch('bob', written - 1000) }),
    want: ['update bob'],
  },
  {
    name: 'who was heard of before we wrote it did what we wrote it over',
    it: given([labelled], [moved], { 'vpc-1': touch('bob', written, written) }),
    want: ['update -'],
  },
  {
    name: 'a part of it counts, and the newest of all',
    it: given([labelled], [{ ...moved, condition: { state: 'ready', parts: [{ part: 'gateway', id: 'igw-1' }] } }], {
      'vpc-1': touch('bob'),
      'igw-1': touch('ann', written + 2),
      'igw-2': touch('eve', written + 3),
    }),
    want: ['update ann'],
  },
  {
    name: 'a rollout is nobody else’s work',
    it: {
      ...given([labelled], [moved], { 'vpc-1': touch('bob') }),
      knowledge: { ...know([moved]), touches: new Map([['vpc-1', touch('bob')]]) },
    },
    want: ['update -'],
  },
  {
    name: 'a rule that nobody wrote: whoever made it, whenever that was',
    it: given([net, group], [standing, standingGroup, atom('22')], { 'sg-1 22': touch('eve', 1) }),
    want: ['delete eve'],
  },
  {
    name: 'a rule that no event names: who touched its group lately',
    it: given([net, group], [standing, standingGroup, atom('22')], { 'sg-1': touch('eve', now - hour) }),
    want: ['delete eve'],
  },
  {
    name: 'who touched its group two days ago is not named for it',
    it: given([net, group], [standing, standingGroup, atom('22')], { 'sg-1': touch('bob', now - 48 * hour) }),
    want: ['delete -'],
  },
  {
    name: 'who touched the rule is named before who touched the group later',
    it: given([net, group], [standing, standingGroup, atom('22')], {
      'sg-1': touch('bob', now),
      'sg-1 22': touch('eve', now - hour),
    }),
    want: ['delete eve'],
  },
  {
    name: 'what vanished: of the id that the store knows there; letting go of it too',
    it: given([net, group, rule], [standing, standingGroup], { 'sg-1 443': touch('eve') }, settledRule),
    want: ['create eve', 'forget eve'],
  },
  {
    name: 'what vanished from a group that was touched lately',
    it: given([net, group, rule], [standing, standingGroup], { 'sg-1': touch('eve', now) }, settledRule),
    want: ['create eve', 'forget -'],
  },
  {
    name: 'what vanished, and nobody said so',
    it: given([net], [], { 'vpc-9': touch('eve') }),
    want: ['create -'],
  },
  {
    name: 'what nobody claims',
    it: given([net], [standing, see('network', 'vpc-9', vpc())], { 'vpc-9': touch('eve', 1) }),
    want: ['unmanaged eve'],
  },
  {
    name: 'what does not stay as we write it: who is the other writer',
    it: given([labelled], [moved], { 'vpc-1': touch('tool') }, { unstuck: new Map([[net.address, 3]]) }),
    want: ['non-convergent tool'],
  },
  {
    name: 'what is withheld keeps its name',
    it: {
      ...given([net, group], [standing, standingGroup, atom('22')], { 'sg-1 22': touch('eve') }),
      choices: { holds: [() => ({ code: 'paused', why: 'a freeze' })] },
    },
    want: ['withheld eve'],
  },
  {
    name: 'an object by what the cloud’s log calls it',
    it: {
      ...given([labelled], [moved], { VPC: touch('bob') }),
      dialect: { ...dialect, names: { ...dialect.names, auditLogId: () => 'VPC' } },
    },
    want: ['update bob'],
  },
];

for (const { name, it, want: wanted } of rows) test(`by whom: ${name}`, () => assert.deepEqual(named(it), wanted));

test('who did it does not change what a plan is, nor its digest', () => {
  for (const { it } of rows) {
    const { touches: _, ...knowledge } = it.knowledge;
    const told = plan(it);
    const untold = plan({ ...it, knowledge });
    const hash = (text: string): string => text;
    assert.equal(planDigest([told], hash), planDigest([untold], hash));
    const bare = JSON.parse(JSON.stringify(told, (key, value) => (key === 'by' ? undefined : value)));
    assert.deepEqual(bare, JSON.parse(JSON.stringify(untold)));
    assert.equal(JSON.stringify(plan(it)), JSON.stringify(told));
  }
});

/**
 *   a finding      | who is named
 *   ---------------+------------------------------------------------------------
 *   unmanaged      | who touched the thing
 *   non-convergent | who touched what stands at the address
 *   any other type | nobody
 */
const told = { why: 'why', scope: 'aws/1/eu-1' };
const findings: readonly (readonly [Finding, string | undefined])[] = [
  [{ ...told, type: 'unmanaged', id: 'vpc-1', kind: 'network', name: 'core' }, 'bob'],
  [{ ...told, type: 'unmanaged', id: 'vpc-2', kind: 'network', name: 'core' }, undefined],
  [{ ...told, type: 'non-convergent', address: net.address, kind: 'network', code: 'non-convergent' }, 'bob'],
  [{ ...told, type: 'non-convergent', address: group.address, kind: 'group', code: 'non-convergent' }, undefined],
  [{ ...told, type: 'orphan', id: 'vpc-1', kind: 'network', name: 'core' }, undefined],
  [{ ...told, type: 'copied-mark', id: 'vpc-1', kind: 'network', name: 'core' }, undefined],
  [{ ...told, type: 'blocked', address: net.address, kind: 'network', code: 'depends' }, undefined],
  [{ ...told, type: 'withheld', address: net.address, kind: 'network', action: 'update', code: 'mode' }, undefined],
  [{ ...told, type: 'incomplete', kind: 'network', code: 'denied' }, undefined],
  [{ ...told, type: 'wrong-account' }, undefined],
  [{ ...told, type: 'foreign-store' }, undefined],
];

for (const [finding, who] of findings)
  test(`a finding ${finding.type}: ${who ?? 'nobody'}`, () => {
    const it = given([net], [standing], { 'vpc-1': touch('bob') });
    const world = worldOf(it, claim([standing], it));
    const [{ by, ...rest } = finding] = attribute({ actions: [], findings: [finding] }, world).findings;
    assert.equal(by?.who, who);
    assert.deepEqual(rest, finding, 'nothing else of it changes');
  });

test('where no touches are known, nothing is named and nothing fails', () => {
  for (const touches of [undefined, new Map<string, HeardTouch>()]) {
    const it = { ...given([net], [standing], {}), knowledge: know([standing], touches && { touches }) };
    const world = worldOf(it, claim([standing], it));
    const untouched = findings.map(([finding]) => finding);
    assert.deepEqual(attribute({ actions: [], findings: untouched }, world), { actions: [], findings: untouched });
    assert.equal(touchedBy(standing, world), undefined);
  }
});

test('of what stands: who touched it, or its container', () => {
  const it = given([net, group], [standing, standingGroup, atom('22')], {
    'sg-1': touch('ann', now),
    'vpc-1': touch('bob'),
  });
  const world = worldOf(it, claim([standing, standingGroup, atom('22')], it));
  assert.deepEqual(
    [standing, standingGroup, atom('22')].map((one) => touchedBy(one, world)?.who),
    ['bob', 'ann', 'ann'],
  );
});
